import { randomUUID } from 'node:crypto';
import { createAuditRecorder } from '@widget-service/api/audit/audit-recorder.ts';
import { makeHashEmail } from '@widget-service/api/audit/hash-email.ts';
import type { RouteAudit } from '@widget-service/api/audit/route-audit.ts';
import { computeCsrfToken } from '@widget-service/api/caller/csrf.ts';
import { openIdentityProvider } from '@widget-service/api/caller/oidc/open-identity-provider.ts';
import type { RoutePolicy } from '@widget-service/api/caller/policy.ts';
import type { TrustedProxies } from '@widget-service/api/http/forwarding.ts';
import { describeInterface } from '@widget-service/api/openapi/describe-interface.ts';
import { collectDescribedRoutes } from '@widget-service/api/openapi/described-route.ts';
import { openOverview } from '@widget-service/api/operators/open-overview.ts';
import { makeReadFigures } from '@widget-service/api/operators/read-figures.ts';
import type { SecurityContact } from '@widget-service/api/pages/register-security-txt.ts';
import { describeDeployment } from '@widget-service/api/process/backend-facts.ts';
import { buildApp } from '@widget-service/api/process/build-app.ts';
import { createPodRateLimiter } from '@widget-service/api/process/pod-rate-limiter.ts';
import { sharePeerRequests } from '@widget-service/api/process/several-answerers.ts';
import { createUseCases } from '@widget-service/api/process/use-cases.ts';
import { createGrantTokenCache } from '@widget-service/api/revocation/token-caches.ts';
import { openStreamDirectory } from '@widget-service/api/streams/stream-directory.ts';
import type { IdentityProviderOptions } from '@widget-service/shared/config/component-options.ts';
import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Role } from '@widget-service/shared/domain/role.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { makeStartSession } from '@widget-service/shared/usecases/access/sessions.ts';
import { GroupCommit, type GroupCommitOptions } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { createAnswerCheck } from './check-answer.ts';
import { issueIntegration, issueSubscription } from './issue-grants.ts';
import { openTestBackend } from './open-test-backend.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import type { TestBackend } from './test-backend.ts';

const hourMs = 3_600_000;

let checkAnswer: ReturnType<typeof createAnswerCheck> | null = null;

export interface TestAppOptions {
  readonly publicBaseUrl?: string | null;
  /** Left out: every name is allowed. */
  readonly allowedHosts?: readonly string[];
  readonly cookieSecure?: boolean;
  readonly passwordSignInEnabled?: boolean;
  /** `timeoutMs` limits each request to the provider. */
  readonly identityProvider?: IdentityProviderOptions & { readonly timeoutMs?: number };
  /** The backend of another app, of which this app is then a second pod. Closing this app leaves it open. */
  readonly sharedBackend?: Backend;
  readonly bodyLimitBytes?: number;
  readonly consoleEnabled?: boolean;
  readonly docsEnabled?: boolean;
  readonly securityContact?: SecurityContact;
  readonly tailPosition?: () => LogPosition | null;
  readonly clock?: Clock;
  /** Rate limits. A limit that is not given is off. */
  readonly limits?: {
    readonly hooks?: RateLimit;
    readonly api?: RateLimit;
    readonly signInFailuresPerMinute?: number;
  };
  readonly groupCommit?: Partial<GroupCommitOptions>;
  readonly trustedProxies?: TrustedProxies;
  readonly tokenMaxLifetimeMs?: number;
  /** Returns ports that replace those of the backend, so that a test can make them fail or watch them. */
  readonly replace?: (backend: Backend) => Partial<Backend>;
}

/** A route as it was registered. */
export interface TestRoute {
  readonly method: string;
  /** With the names of its parameters: `/api/v1/users/:id`. */
  readonly url: string;
  readonly policy: RoutePolicy | undefined;
  readonly audit: RouteAudit | undefined;
}

/** A user with a session. `headers` holds what a page sends with a request that changes something. */
export interface TestCaller {
  readonly userId: string;
  readonly sessionId: string;
  readonly cookie: string;
  readonly csrfToken: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface TestRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly payload?: string | object | Buffer;
  readonly remoteAddress?: string;
}

export interface TestResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape that it expects.
  json(): any;
}

/** The app with its real use cases on its own backend. Tests inject requests, so that no socket is opened. */
export interface TestApp {
  readonly app: ReturnType<typeof buildApp>;
  readonly backend: Backend;
  /** Every route of the app, once per method. Only the whole service registers the stream routes. */
  readonly routes: readonly TestRoute[];
  /** Every log line so far. */
  readonly logLines: readonly string[];
  /** Sends a request. Throws if the answer differs from the OpenAPI document. */
  inject(request: TestRequest): Promise<TestResponse>;
  /** Creates a user with this role and a session, through the ports. */
  signedIn(role: Role): Promise<TestCaller>;
  issueHookToken(deduplicateByContent?: boolean): Promise<{ token: string; integrationId: string }>;
  issueStreamToken(): Promise<{ token: string; subscriptionId: string }>;
  close(): Promise<void>;
}

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const testBackend = options.sharedBackend === undefined ? await openTestBackend() : null;
  const realBackend = options.sharedBackend ?? (testBackend as TestBackend).backend;
  const backend = { ...realBackend, ...options.replace?.(realBackend) };
  const clock = options.clock ?? systemClock;
  const logLines: string[] = [];
  const metrics = createMetrics();
  // Long, so that a machine that is busy with other tests does not look like an unavailable Redis.
  const limiter = createPodRateLimiter({
    limiter: backend.rateLimiter,
    isShared: describeDeployment(backend.kind).sharesRateLimits,
    clock,
    metrics,
    timeoutMs: 5_000,
  });
  const useCases = createUseCases({
    backend,
    groupCommit: new GroupCommit(backend.hookQueue, clock, options.groupCommit),
    clock,
    tailPosition: options.tailPosition ?? (() => null),
    sessionIdleMs: 12 * hourMs,
    sessionLifetimeMs: 168 * hourMs,
    tokenMaxLifetimeMs: options.tokenMaxLifetimeMs ?? null,
    rateLimiter: limiter,
    signInFailuresPerMinute: options.limits?.signInFailuresPerMinute ?? 0,
  });
  const logger = await createLogger({ level: 'info', destination: { write: (line) => void logLines.push(line) } });
  // This app has no hub: it registers no stream route, so it has no open streams.
  const hub = { connections: () => [], end: () => undefined };
  const podRequests = sharePeerRequests(backend.podRequests);
  const streamDirectory = openStreamDirectory({ podRequests, hub });
  const overview = openOverview({
    backend,
    podRequests,
    hasWorkers: false,
    clock,
    serviceVersion: '0.0.0',
    streamsMax: 10_000,
    readFigures: makeReadFigures(metrics),
    countStreams: () => 0,
    tailPosition: options.tailPosition ?? (() => null),
    listNotReady: () => [],
  });
  // This app has no control log follower, so every grant counts as fresh.
  const freshness = { clock, isFresh: () => true };
  const app = buildApp({
    settings: {
      trustedProxies: options.trustedProxies ?? null,
      publicBaseUrl: options.publicBaseUrl ?? options.identityProvider?.publicBaseUrl ?? null,
      allowedHosts: options.allowedHosts ?? null,
      cookieSecure: options.cookieSecure ?? false,
      passwordSignInEnabled: options.passwordSignInEnabled ?? true,
      bodyLimitBytes: options.bodyLimitBytes ?? 65_536,
      connections: { perAddress: 0, perPod: 10_000 },
      consoleEnabled: options.consoleEnabled ?? true,
      docsEnabled: options.docsEnabled ?? true,
      securityContact: options.securityContact ?? null,
    },
    useCases,
    widgets: backend.widgets,
    ledger: backend.ledger,
    quarantine: backend.quarantine,
    eventLog: backend.eventLog,
    refusals: backend.refusals,
    audit: createAuditRecorder({ store: backend.auditEvents, logger, metrics, clock }),
    hashEmail: makeHashEmail({ configuredKey: null, serviceKeys: backend.serviceKeys }),
    users: backend.users,
    clock,
    rateLimits: {
      limiter,
      api: options.limits?.api ?? null,
      hooks: options.limits?.hooks ?? null,
    },
    grants: backend,
    overview,
    streamDirectory,
    hookTokens: createGrantTokenCache(backend.integrations, freshness),
    provisionTokens: createGrantTokenCache(backend.provisionTokens, freshness),
    logger,
    metrics,
    ...(await configureIdentityProvider(options)),
    registerStream: () => undefined,
  });
  const routes: TestRoute[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const name of [method].flat())
      routes.push({ method: name, url, policy: config?.policy, audit: config?.audit });
  });
  const described = collectDescribedRoutes(app);
  await app.ready();
  // Every app has the same operations, so the schemas are compiled once per process.
  checkAnswer ??= createAnswerCheck(describeInterface(described, null) as OpenApiDocument);
  const check = checkAnswer;
  return {
    app,
    backend: realBackend,
    routes,
    logLines,
    inject: async ({ headers, ...request }) => {
      const response = await app.inject({
        ...request,
        ...(headers === undefined ? {} : { headers: headers as Record<string, string> }),
      });
      const { statusCode, body } = response;
      check({ ...request, statusCode, headers: response.headers, body });
      return response;
    },
    signedIn: (role) => signInThroughPorts(realBackend, role),
    issueHookToken: async (deduplicateByContent = true) => {
      const { grant, token } = await issueIntegration(realBackend, { deduplicateByContent });
      return { token, integrationId: grant.id };
    },
    issueStreamToken: async () => {
      const { grant, token } = await issueSubscription(realBackend);
      return { token, subscriptionId: grant.id };
    },
    close: async () => {
      await app.close();
      await testBackend?.dispose();
    },
  };
}

async function configureIdentityProvider({ identityProvider: configured, clock = systemClock }: TestAppOptions) {
  if (configured === undefined) return {};
  const { timeoutMs = 10_000, ...options } = configured;
  const provider = await openIdentityProvider(options, { clock, timeoutMs });
  return { identityProvider: { ...options, provider } };
}

/** Creates a user with this role and a session. The user has no usable password. */
export async function signInThroughPorts(backend: Backend, role: Role): Promise<TestCaller> {
  const userId = randomUUID();
  await backend.users.insert({
    id: userId,
    email: `${userId}@example.com`,
    name: null,
    role,
    disabled: false,
    passwordHash: 'none: this user has no password',
    createdAt: new Date(),
    lastSignInAt: null,
    mustChangePassword: false,
  });
  const start = makeStartSession({ sessions: backend.sessions, clock: systemClock, sessionLifetimeMs: hourMs });
  const { sessionId } = await start(userId);
  const cookie = `service_console=${sessionId}`;
  const csrfToken = computeCsrfToken(sessionId);
  return { userId, sessionId, cookie, csrfToken, headers: { cookie, 'x-csrf-token': csrfToken } };
}
