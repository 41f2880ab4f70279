import { randomUUIDv7 } from 'node:crypto';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { WidgetStore } from '@widget-service/shared/ports/widget-store.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { createVerifyHookToken } from './auth/hook-token.ts';
import { registerPolicies } from './auth/policy.ts';
import type { TokenCache } from './auth/token-cache.ts';
import { registerAdmission } from './http/admit-request.ts';
import { answerFrameworkError, registerErrorHandler } from './http/error-handler.ts';
import { registerJsonBodies } from './http/json-body.ts';
import { collectKnownPaths } from './http/known-paths.ts';
import { answerExpectation, answerParserError } from './http/raw-errors.ts';
import { registerRequestLog } from './http/request-log.ts';
import { decorateRequests } from './http/request-state.ts';
import { validateWithZod } from './http/validation-errors.ts';
import { registerOpenApi, registerOpenApiRoute } from './openapi.ts';
import { registerReceiveHook } from './routes/events/receive-hook.ts';
import { registerCreateIntegration } from './routes/integrations/create-integration.ts';
import { registerShowSession } from './routes/session/show-session.ts';
import { registerSignIn } from './routes/session/sign-in.ts';
import { registerSignOut } from './routes/session/sign-out.ts';
import { registerCreateSubscription } from './routes/subscriptions/create-subscription.ts';
import { registerCreateWidget } from './routes/widgets/create-widget.ts';
import { registerGetWidget } from './routes/widgets/get-widget.ts';
import { registerListWidgets } from './routes/widgets/list-widgets.ts';
import type { UseCases } from './use-cases.ts';

interface AppSettings {
  /** Base of the URLs that are handed out, without a slash at its end; null: as the request was addressed. */
  readonly publicBaseUrl: string | null;
  readonly cookieSecure: boolean;
  readonly bodyLimitBytes: number;
}

export interface AppDeps {
  readonly settings: AppSettings;
  readonly useCases: UseCases;
  /** A plain read goes from the route to the port. */
  readonly widgets: Pick<WidgetStore, 'get'>;
  readonly hookTokens: Pick<TokenCache<Integration>, 'recall' | 'resolve'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'httpRequests' | 'hooksAccepted' | 'hooksRefused'>;
  /** Registers the stream's routes, which belong to whoever runs the hub. */
  readonly registerStream: (app: FastifyInstance) => Promise<void> | void;
}

/** The public interface, ready to listen: it opens no socket by itself. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps);
  decorateRequests(app);
  registerAdmission(app, collectKnownPaths(app));
  registerErrorHandler(app);
  registerRequestLog(app, deps.metrics);
  registerJsonBodies(app);
  app.setValidatorCompiler(validateWithZod);
  // Answers are typed where they are made; walking through them again would cost time and change nothing.
  app.setSerializerCompiler(() => JSON.stringify);
  registerPolicies(app, {
    findSession: deps.useCases.findSession,
    verifyHookToken: createVerifyHookToken(deps.hookTokens),
    publicBaseUrl: deps.settings.publicBaseUrl,
  });
  registerOpenApi(app);
  app.register(async (scope) => registerRoutes(scope, deps));
  return app;
}

async function registerRoutes(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const { useCases, settings, metrics } = deps;
  const { cookieSecure, publicBaseUrl } = settings;
  const app = scope.withTypeProvider<ZodTypeProvider>();
  registerListWidgets(app, useCases);
  registerCreateWidget(app, useCases);
  registerGetWidget(app, deps);
  await deps.registerStream(scope);
  registerReceiveHook(app, { acceptHook: useCases.acceptHook, metrics });
  registerSignIn(app, { signIn: useCases.signIn, cookieSecure });
  registerShowSession(app);
  registerSignOut(app, { endSession: useCases.endSession, cookieSecure });
  registerCreateSubscription(app, { issueSubscription: useCases.issueSubscription, publicBaseUrl });
  registerCreateIntegration(app, { issueIntegration: useCases.issueIntegration, publicBaseUrl });
  registerOpenApiRoute(scope);
}

function createServer({ settings, logger }: AppDeps): FastifyInstance {
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // Lines name their request themselves: a child logger for every request costs more than its line.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    // Node's own takes its randomness in bulk; request ids need not rise within a millisecond.
    genReqId: () => randomUUIDv7(),
    requestIdHeader: false,
    bodyLimit: settings.bodyLimitBytes,
    exposeHeadRoutes: false,
    // A request that comes while the server closes is answered like any other.
    return503OnClosing: false,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Node's own refusal of a missing Host has no body; `admit-request.ts` refuses it.
    http: { requireHostHeader: false, headersTimeout: 15_000, maxHeaderSize: 16_384 },
    // The address as a whole is bounded, so a long token is just a wrong one.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false, caseSensitive: true },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: (error, socket) => answerParserError(error, socket, logger),
  });
  app.server.on('checkExpectation', answerExpectation);
  return app;
}
