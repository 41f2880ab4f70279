import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { DeliveryLedger } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { EventLog } from '@widget-service/shared/ports/event-log.ts';
import type { Integration, ProvisionToken } from '@widget-service/shared/ports/grant-store.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { RefusalStore } from '@widget-service/shared/ports/refusal-store.ts';
import type { UserStore } from '@widget-service/shared/ports/user-store.ts';
import type { WidgetStore } from '@widget-service/shared/ports/widget-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { noTracer, type Tracer } from '@widget-service/shared/tracing/tracer.ts';
import type { FastifyInstance } from 'fastify';
import type { AuditRecorder } from '../audit/audit-recorder.ts';
import type { HashEmail } from '../audit/hash-email.ts';
import { registerRouteAudit } from '../audit/route-audit.ts';
import { makeVerifyBearer } from '../caller/bearer.ts';
import { HookPermits } from '../caller/limits/hook-permits.ts';
import { registerRateLimits } from '../caller/limits/rate-limits.ts';
import { makeVerifyHookToken, registerPolicies } from '../caller/policy.ts';
import { decorateCredentials } from '../caller/request-credentials.ts';
import { registerGrants } from '../grants/grant-routes.ts';
import { integrationResource } from '../grants/integration-resource.ts';
import { provisionTokenResource } from '../grants/provision-token-resource.ts';
import { subscriptionResource } from '../grants/subscription-resource.ts';
import { registerDiscardDelivery } from '../hooks/deliveries/discard-delivery.ts';
import { registerGetDelivery } from '../hooks/deliveries/get-delivery.ts';
import { registerListDeliveries } from '../hooks/deliveries/list-deliveries.ts';
import { registerListDeliveriesOfWidget } from '../hooks/deliveries/list-deliveries-of-widget.ts';
import { registerRedriveDelivery } from '../hooks/deliveries/redrive-delivery.ts';
import { registerListRefusals } from '../hooks/list-refusals.ts';
import { type QuarantineRoutesDeps, registerQuarantine } from '../hooks/quarantine-routes.ts';
import { registerReceiveHook } from '../hooks/receive-hook.ts';
import { ConnectionLimiter, type ConnectionLimits, registerConnectionRefusals } from '../http/connection-limits.ts';
import { createServer } from '../http/create-server.ts';
import { registerErrorHandler } from '../http/error-handler.ts';
import {
  registerForwardedAddresses,
  registerProxyWarning,
  type TrustedProxies,
  toTrustProxy,
} from '../http/forwarding.ts';
import { registerJsonBodies } from '../http/json-body.ts';
import { decorateOwnOrigin } from '../http/own-origin.ts';
import { registerRequestDeadline } from '../http/request-deadline.ts';
import { registerRequestLog, registerRequestTracing } from '../http/request-log.ts';
import { collectKnownPaths, registerRequestScreening } from '../http/request-screening.ts';
import { decorateRequests } from '../http/request-state.ts';
import { validateWithZod, type ZodApp, type ZodTypeProvider } from '../http/zod-validation.ts';
import { registerAsyncApi } from '../openapi/describe-events.ts';
import { registerOpenApi } from '../openapi/describe-interface.ts';
import { registerGetOverview } from '../operators/get-overview.ts';
import { registerListAuditEvents } from '../operators/list-audit-events.ts';
import type { OverviewReader } from '../operators/open-overview.ts';
import { registerConsole } from '../pages/register-console.ts';
import { registerDocsPage } from '../pages/register-docs-page.ts';
import { registerFrontPage } from '../pages/register-front-page.ts';
import { registerProblemPages } from '../pages/register-problem-pages.ts';
import { registerSecurityTxt, type SecurityContact } from '../pages/register-security-txt.ts';
import { registerChangePassword } from '../people/session/change-password.ts';
import { registerGetSession } from '../people/session/get-session.ts';
import { registerIssuePersonalStream } from '../people/session/issue-personal-stream.ts';
import { registerEndOwnSession, registerListOwnSessions } from '../people/session/manage-sessions.ts';
import { registerSignIn } from '../people/session/sign-in.ts';
import { type ConfiguredIdentityProvider, registerSignInByIdentity } from '../people/session/sign-in-by-identity.ts';
import { registerSignOut, registerSignOutEverywhere } from '../people/session/sign-out.ts';
import {
  registerChangeUser,
  registerCreateUser,
  registerGetUser,
  registerListUsers,
  registerUnlockUser,
} from '../people/users/user-routes.ts';
import { registerUserSessions } from '../people/users/user-session-routes.ts';
import { makeRecordLastUsed } from '../revocation/record-last-used.ts';
import type { TokenCache } from '../revocation/token-cache.ts';
import type { ResolvedGrant } from '../revocation/token-caches.ts';
import { makeRefuseConnection } from '../streams/admit-stream.ts';
import { registerConnections } from '../streams/connection-routes.ts';
import type { StreamDirectory } from '../streams/stream-directory.ts';
import { registerCreateWidget } from '../widgets/create-widget.ts';
import { registerGetWidget } from '../widgets/get-widget.ts';
import { registerListWidgets } from '../widgets/list-widgets.ts';
import type { UseCases } from './use-cases.ts';
import { registerKnownSeries } from './zero-series.ts';

interface AppSettings {
  readonly trustedProxies: TrustedProxies;
  /** Base of the URLs in responses, without a trailing slash. Null: each request's own scheme and host. */
  readonly publicBaseUrl: string | null;
  /** Host names that the service answers to, besides addresses and `localhost`. Null: every name. */
  readonly allowedHosts: readonly string[] | null;
  readonly cookieSecure: boolean;
  readonly passwordSignInEnabled: boolean;
  readonly bodyLimitBytes: number;
  readonly connections: ConnectionLimits;
  /** Whether the service serves `/console`. */
  readonly consoleEnabled: boolean;
  /** Whether the service serves its documentation: `/docs`, the OpenAPI document and the pages of problems. */
  readonly docsEnabled: boolean;
  /** Null: there is no security.txt. */
  readonly securityContact: SecurityContact | null;
}

interface RateLimits {
  readonly limiter: Pick<RateLimiter, 'take'>;
  /** Per principal; null: no limit. */
  readonly api: RateLimit | null;
  /** Per integration, for those without a rate of their own; null: no limit. */
  readonly hooks: RateLimit | null;
}

export interface AppDeps {
  readonly settings: AppSettings;
  readonly useCases: UseCases;
  /** Routes without a use case call some of these ports directly, for example `widgets` and `ledger`. */
  readonly widgets: Pick<WidgetStore, 'get'>;
  readonly users: Pick<UserStore, 'findById' | 'list' | 'count'>;
  readonly grants: Pick<Backend, 'subscriptions' | 'integrations' | 'provisionTokens'>;
  readonly ledger: Pick<DeliveryLedger, 'get'>;
  readonly quarantine: QuarantineRoutesDeps['quarantine'];
  readonly eventLog: Pick<EventLog, 'readUpTo'>;
  readonly refusals: RefusalStore;
  /** Closed with the app. */
  readonly audit: AuditRecorder;
  readonly hashEmail: HashEmail;
  readonly streamDirectory: Pick<StreamDirectory, 'list' | 'end'>;
  readonly overview: Pick<OverviewReader, 'read'>;
  readonly hookTokens: Pick<TokenCache<ResolvedGrant<Integration>>, 'recall' | 'resolve'>;
  readonly provisionTokens: Pick<TokenCache<ResolvedGrant<ProvisionToken>>, 'resolve'>;
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Left out: no tracing. */
  readonly tracer?: Tracer;
  /** Left out: nobody signs in through a provider. */
  readonly identityProvider?: ConfiguredIdentityProvider;
  /** Registers the stream's routes. They come from the caller, because it runs the hub. */
  readonly registerStream: (app: FastifyInstance) => Promise<void> | void;
}

/**
 * Builds the public interface. It opens no socket: the caller calls `listen`. Fastify runs `registerRoutes` only then,
 * so a mistake in a route makes `listen` reject.
 */
export function buildApp(deps: AppDeps): FastifyInstance {
  const { bodyLimitBytes, trustedProxies } = deps.settings;
  const app = createServer({ bodyLimitBytes, trustProxy: toTrustProxy(trustedProxies), logger: deps.logger });
  const connections = new ConnectionLimiter({ ...deps, limits: deps.settings.connections, trustedProxies });
  connections.watch(app.server);
  // The order matters. Fastify hooks run in the order of their registration, and a function that examines routes sees
  // only those that are registered after it.
  decorateRequests(app);
  decorateCredentials(app);
  decorateOwnOrigin(app, deps.settings);
  registerRequestTracing(app, deps.tracer ?? noTracer);
  registerConnectionRefusals(app, connections, makeRefuseConnection(deps.metrics));
  registerForwardedAddresses(app, trustedProxies);
  registerRequestScreening(app, { paths: collectKnownPaths(app), allowedHosts: deps.settings.allowedHosts });
  registerErrorHandler(app);
  registerProxyWarning(app, trustedProxies);
  registerRequestLog(app, deps.metrics);
  registerRequestDeadline(app);
  registerJsonBodies(app);
  app.setValidatorCompiler(validateWithZod);
  // Handlers return typed bodies: validating them again would cost time and change nothing.
  app.setSerializerCompiler(() => JSON.stringify);
  registerPolicies(app, {
    findSession: deps.useCases.findSession,
    verifyBearer: makeVerifyBearer({
      cache: deps.provisionTokens,
      recordLastUsed: makeRecordLastUsed({ grants: deps.grants.provisionTokens, clock: deps.clock }),
    }),
    verifyHookToken: makeVerifyHookToken(deps.hookTokens),
    publicBaseUrl: deps.settings.publicBaseUrl,
  });
  const { audit: recorder, hashEmail, clock } = deps;
  registerRouteAudit(app, { recorder, hashEmail, clock, trustedProxies });
  const { limiter, api, hooks } = deps.rateLimits;
  const hookPermits = new HookPermits({ limiter, limit: hooks, clock: deps.clock });
  registerRateLimits(app, { limiter, apiLimit: api, hookPermits });
  if (deps.settings.docsEnabled) {
    registerOpenApi(app, deps.settings.publicBaseUrl);
    registerAsyncApi(app, deps.settings.publicBaseUrl);
  }
  registerKnownSeries(app, deps.metrics);
  app.register(async (scope) => registerRoutes(scope, deps));
  return app;
}

async function registerRoutes(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const { useCases, settings } = deps;
  const { cookieSecure, passwordSignInEnabled, publicBaseUrl, trustedProxies } = settings;
  const app = scope.withTypeProvider<ZodTypeProvider>();
  registerListWidgets(app, useCases);
  registerCreateWidget(app, useCases);
  registerGetWidget(app, deps);
  await deps.registerStream(scope);
  const recordLastUsed = makeRecordLastUsed({ grants: deps.grants.integrations, clock: deps.clock });
  registerReceiveHook(app, { ...deps, acceptHook: useCases.acceptHook, recordLastUsed, trustedProxies });
  const { identityProvider = null, clock } = deps;
  registerSignIn(app, { ...useCases, clock, cookieSecure, trustedProxies, passwordSignInEnabled });
  registerSignInByIdentity(app, { ...useCases, identityProvider, cookieSecure, trustedProxies, clock });
  registerGetSession(app);
  registerSignOut(app, { endSession: useCases.endSession, cookieSecure });
  registerSignOutEverywhere(app, { endAllSessions: useCases.endAllSessions, cookieSecure });
  registerChangePassword(app, { ...useCases, clock, cookieSecure, trustedProxies, passwordSignInEnabled });
  registerListOwnSessions(app, useCases);
  registerEndOwnSession(app, { endSessionById: useCases.endSessionById, cookieSecure });
  registerIssuePersonalStream(app, { issuePersonalStream: useCases.issuePersonalStream, publicBaseUrl });
  registerCreateUser(app, useCases);
  registerListUsers(app, deps);
  registerGetUser(app, deps);
  registerChangeUser(app, { users: deps.users, changeUser: useCases.changeUser });
  registerUnlockUser(app, useCases);
  registerUserSessions(app, { ...useCases, users: deps.users });
  registerGrantRoutes(app, deps);
  registerDeliveryRoutes(app, deps);
  registerListAuditEvents(app, useCases);
  registerGetOverview(app, deps);
  const signInWays = { signInByPassword: passwordSignInEnabled, signInByIdentity: identityProvider !== null };
  if (settings.consoleEnabled) registerConsole(scope, signInWays);
  if (settings.docsEnabled) {
    registerDocsPage(scope, signInWays);
    registerProblemPages(scope);
  }
  registerFrontPage(scope, settings);
  if (settings.securityContact !== null) registerSecurityTxt(scope, settings.securityContact, publicBaseUrl);
}

function registerGrantRoutes(app: ZodApp, deps: AppDeps): void {
  const { useCases, grants, streamDirectory } = deps;
  const { publicBaseUrl } = deps.settings;
  const { subscriptions, integrations, provisionTokens } = useCases;
  registerGrants(app, subscriptionResource, { useCases: subscriptions, grants: grants.subscriptions, publicBaseUrl });
  registerConnections(app, { subscriptions: grants.subscriptions, streamDirectory });
  registerGrants(app, integrationResource, { useCases: integrations, grants: grants.integrations, publicBaseUrl });
  registerGrants(app, provisionTokenResource, {
    useCases: provisionTokens,
    grants: grants.provisionTokens,
    publicBaseUrl,
  });
}

function registerDeliveryRoutes(app: ZodApp, deps: AppDeps): void {
  const { useCases, grants, widgets, ledger, quarantine, eventLog, refusals, metrics } = deps;
  const { integrations } = grants;
  registerListDeliveries(app, { integrations, listDeliveries: useCases.listDeliveries });
  registerListDeliveriesOfWidget(app, { widgets, listDeliveries: useCases.listDeliveries });
  registerGetDelivery(app, { integrations, ledger, eventLog });
  registerListRefusals(app, { integrations, refusals });
  registerDiscardDelivery(app, useCases);
  registerRedriveDelivery(app, { integrations, redriveDelivery: useCases.redriveDelivery, metrics });
  registerQuarantine(app, { quarantine });
}
