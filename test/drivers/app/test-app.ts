import { randomUUID } from 'node:crypto';
import type { RouteAudit } from '@widget-service/api/audit/audit.ts';
import { computeCsrfToken } from '@widget-service/api/caller/csrf.ts';
import type { RoutePolicy } from '@widget-service/api/caller/enforce-policy.ts';
import { openIdentityProvider } from '@widget-service/api/caller/oidc/identity-provider.ts';
import { collectDescribedRoutes } from '@widget-service/api/openapi/described-route.ts';
import { describeInterface } from '@widget-service/api/openapi/openapi-document.ts';
import { composePod, type Overrides } from '@widget-service/api/process/compose.ts';
import { createGrantTokenCache, createSessionCache } from '@widget-service/api/revocation/token-caches.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Role } from '@widget-service/shared/domain/role.ts';
import { buildUser } from '@widget-service/shared/entities/user.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { ManageSessions } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyInstance } from 'fastify';
import { type CheckedAnswer, createAnswerCheck } from './check-answer.ts';
import { issueIntegration, issueSubscription } from './issue-grants.ts';
import { openTestBackend } from './open-test-backend.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import type { TestBackend } from './test-backend.ts';

const hourMs = 3_600_000;

let checkAnswer: ReturnType<typeof createAnswerCheck> | null = null;

/** A setting that is left out has its default; every host name is then allowed, and every number of connections. */
export interface TestAppOptions extends Partial<Settings>, Pick<Overrides, 'clock' | 'groupCommit' | 'tailPosition'> {
  /** Limits each request to the identity provider. */
  readonly providerTimeoutMs?: number;
  /** The backend of another app, of which this app is then a second pod. Closing this app leaves it open. */
  readonly sharedBackend?: Backend;
  /** Rate limits. A limit that is not given is off. */
  readonly limits?: Partial<NonNullable<Overrides['limits']>> & { readonly signInFailuresPerMinute?: number };
  /** Returns ports that replace those of the backend, so that a test can make them fail or watch them. */
  readonly replace?: (backend: Backend) => Partial<Backend>;
  /** Registers further routes. */
  readonly addRoutes?: (scope: FastifyInstance) => void;
}

/** A route as it was registered. */
export interface TestRoute {
  readonly method: string;
  /** With the names of its parameters: `/api/v1/users/:id`. */
  readonly url: string;
  readonly policy: RoutePolicy | undefined;
  readonly audit: RouteAudit | undefined;
  /** The largest body, in bytes. */
  readonly bodyLimit: number | undefined;
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

type TestHeaders = NonNullable<TestRequest['headers']>;

/** Requests by their method, of one caller. */
interface Requests {
  get(url: string, headers?: TestHeaders): Promise<TestResponse>;
  delete(url: string, headers?: TestHeaders): Promise<TestResponse>;
  post(url: string, payload?: TestRequest['payload'], headers?: TestHeaders): Promise<TestResponse>;
  put(url: string, payload?: TestRequest['payload'], headers?: TestHeaders): Promise<TestResponse>;
  patch(url: string, payload?: TestRequest['payload'], headers?: TestHeaders): Promise<TestResponse>;
}

/** A user with a session of this app. The requests have the headers of a page. */
interface SignedInCaller extends TestCaller, Requests {}

/**
 * The app with its real use cases on its own backend. Tests inject requests, so that no socket is opened. Requests of
 * the app itself come from nobody.
 */
export interface TestApp extends Requests {
  readonly app: FastifyInstance;
  readonly backend: Backend;
  /** Every route of the app, once per method. */
  readonly routes: readonly TestRoute[];
  /** Every log line so far. */
  readonly logLines: readonly string[];
  /** Sends a request. Throws if the answer differs from the OpenAPI document. */
  inject(request: TestRequest): Promise<TestResponse>;
  /** Throws if an answer that came over a socket differs from the OpenAPI document. */
  checkAnswer(answer: CheckedAnswer): void;
  /** Creates a user with this role and a session, through the ports. */
  signedIn(role: Role): Promise<SignedInCaller>;
  issueHookToken(deduplicateByContent?: boolean): Promise<{ token: string; integrationId: string }>;
  issueStreamToken(): Promise<{ token: string; subscriptionId: string }>;
  close(): Promise<void>;
}

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const testBackend = options.sharedBackend === undefined ? await openTestBackend() : null;
  const realBackend = options.sharedBackend ?? (testBackend as TestBackend).backend;
  const logLines: string[] = [];
  const backend = { ...realBackend, ...options.replace?.(realBackend) };
  const fresh = [options.clock ?? systemClock, () => true] as const;
  const settings = toSettings(options);
  const deps = {
    settings,
    backend,
    logger: await createLogger({ level: 'info', destination: { write: (line) => void logLines.push(line) } }),
    overrides: {
      ...options,
      signInFailuresPerMinute: options.limits?.signInFailuresPerMinute ?? 0,
      limits: { hooks: null, api: null, widgets: null, signIns: null, ...options.limits },
      // Long, so that a machine that is busy with other tests does not look like an unavailable Redis.
      limiterTimeoutMs: 5_000,
      isUnmeasured: true,
      // The tasks of this app do not run.
      overview: { hasWorkers: false, listNotReady: () => [] },
      caches: {
        hooks: createGrantTokenCache(backend.integrations, ...fresh),
        provisionTokens: createGrantTokenCache(backend.provisionTokens, ...fresh),
        sessions: createSessionCache(backend, ...fresh),
      },
    },
  };
  const { app } = composePod(deps, await openIdentityProvider(settings, fresh[0], options.providerTimeoutMs ?? 10_000));
  const routes: TestRoute[] = [];
  app.addHook('onRoute', ({ method, url, config, bodyLimit }) => {
    for (const name of [method].flat())
      routes.push({ method: name, url, policy: config?.policy, audit: config?.audit, bodyLimit });
  });
  const described = collectDescribedRoutes(app);
  if (options.addRoutes !== undefined) app.register(async (scope) => options.addRoutes?.(scope));
  await app.ready();
  // Every app has the same operations, so the schemas are compiled once per process.
  checkAnswer ??= createAnswerCheck(describeInterface(described, null) as OpenApiDocument);
  const check = checkAnswer;
  const inject: TestApp['inject'] = async ({ headers, ...request }) => {
    const response = await app.inject({
      ...request,
      ...(headers === undefined ? {} : { headers: headers as Record<string, string> }),
    });
    const { statusCode, body } = response;
    check({ ...request, statusCode, headers: response.headers, body });
    return response;
  };
  const requestsWith = (own: TestHeaders): Requests => {
    const send = (
      method: TestRequest['method'],
      url: string,
      headers: TestHeaders = {},
      payload?: TestRequest['payload'],
    ) => inject({ method, url, headers: { ...own, ...headers }, ...(payload === undefined ? {} : { payload }) });
    return {
      get: (url, headers) => send('GET', url, headers),
      delete: (url, headers) => send('DELETE', url, headers),
      post: (url, payload, headers) => send('POST', url, headers, payload),
      put: (url, payload, headers) => send('PUT', url, headers, payload),
      patch: (url, payload, headers) => send('PATCH', url, headers, payload),
    };
  };
  return {
    ...requestsWith({}),
    app,
    backend: realBackend,
    routes,
    logLines,
    checkAnswer: check,
    inject,
    signedIn: async (role) => {
      const caller = await signInThroughPorts(realBackend, role);
      return { ...caller, ...requestsWith(caller.headers) };
    },
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

function toSettings(options: TestAppOptions): Settings {
  const { settings } = parseSettings(
    { ADMIN_EMAIL: '', ALLOWED_HOSTS: '*', CONNECTIONS_PER_ADDRESS: '0' },
    { app: 'api' },
  );
  return { ...settings, ...options };
}

/** Creates a user with this role and a session. The user has no usable password. */
export async function signInThroughPorts(backend: Backend, role: Role): Promise<TestCaller> {
  const userId = randomUUID();
  const passwordHash = 'none: this user has no password';
  const user = { id: userId, email: `${userId}@example.com`, role, passwordHash, createdAt: new Date() };
  await backend.users.insert(buildUser(user));
  const sessionId = await startSession(backend, userId);
  const cookie = `service_console=${sessionId}`;
  const csrfToken = computeCsrfToken(sessionId);
  return { userId, sessionId, cookie, csrfToken, headers: { cookie, 'x-csrf-token': csrfToken } };
}

/** Starts a session of a user, and returns its secret id. */
export async function startSession(
  backend: Pick<Backend, 'sessions' | 'users' | 'control'>,
  userId: string,
  { clock = systemClock, sessionLifetimeMs = hourMs }: { clock?: Clock; sessionLifetimeMs?: number } = {},
): Promise<string> {
  const sessions = new ManageSessions({ ...backend, clock, sessionLifetimeMs });
  return (await sessions.start(userId, { device: null, address: null })).sessionId;
}
