import { randomUUID } from 'node:crypto';
import { buildApp } from '@widget-service/api/app.ts';
import { csrfTokenOf } from '@widget-service/api/auth/csrf.ts';
import { TokenCache } from '@widget-service/api/auth/token-cache.ts';
import { createUseCases } from '@widget-service/api/use-cases.ts';
import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { Role } from '@widget-service/shared/domain/role.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { createIssueIntegration, createIssueSubscription } from '@widget-service/shared/usecases/access/issue-token.ts';
import { createStartSession } from '@widget-service/shared/usecases/access/sessions.ts';
import { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { openTestBackend } from './open-test-backend.ts';

const hourMs = 3_600_000;

export interface TestAppOptions {
  readonly publicBaseUrl?: string | null;
  readonly cookieSecure?: boolean;
  readonly bodyLimitBytes?: number;
  readonly tailPosition?: () => LogPosition | null;
  /** Stands in for ports that are to fail, or are watched. */
  readonly replace?: (backend: Backend) => Partial<Backend>;
}

/** A person with a session; `headers` is what their page sends with a request that changes something. */
export interface TestCaller {
  readonly userId: string;
  readonly sessionId: string;
  readonly cookie: string;
  readonly csrfToken: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface TestRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly payload?: string | object | Buffer;
}

export interface TestResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
  json(): any;
}

/** The app with its real use cases on a backend of its own; requests are injected, no socket is opened. */
export interface TestApp {
  readonly app: ReturnType<typeof buildApp>;
  readonly backend: Backend;
  /** Every log line so far. */
  readonly logLines: readonly string[];
  inject(request: TestRequest): Promise<TestResponse>;
  /** A user with this role, signed in through the port. */
  signedIn(role: Role): Promise<TestCaller>;
  issueHookToken(deduplicateByContent?: boolean): Promise<{ token: string; integrationId: string }>;
  issueStreamToken(): Promise<{ token: string; subscriptionId: string }>;
  close(): Promise<void>;
}

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const testBackend = await openTestBackend();
  const real = testBackend.backend;
  const backend = { ...real, ...options.replace?.(real) };
  const clock = systemClock;
  const logLines: string[] = [];
  const useCases = createUseCases({
    backend,
    gate: new GroupCommit(backend.hookQueue, clock),
    clock,
    tailPosition: options.tailPosition ?? (() => null),
    sessionIdleMs: 12 * hourMs,
    sessionLifetimeMs: 168 * hourMs,
  });
  const app = buildApp({
    settings: {
      publicBaseUrl: options.publicBaseUrl ?? null,
      cookieSecure: options.cookieSecure ?? false,
      bodyLimitBytes: options.bodyLimitBytes ?? 65_536,
    },
    useCases,
    widgets: backend.widgets,
    hookTokens: new TokenCache({ find: (digest) => backend.integrations.findByTokenDigest(digest), clock }),
    logger: await createLogger({ level: 'info', destination: { write: (line) => void logLines.push(line) } }),
    metrics: createMetrics(),
    registerStream: () => undefined,
  });
  await app.ready();
  return {
    app,
    backend: real,
    logLines,
    inject: ({ headers, ...request }) =>
      app.inject({ ...request, ...(headers === undefined ? {} : { headers: headers as Record<string, string> }) }),
    signedIn: (role) => signInThroughPorts(real, role),
    issueHookToken: async (deduplicateByContent = true) => {
      const issue = createIssueIntegration({ integrations: real.integrations, clock });
      const { integration, token } = await issue({ name: 'sender', deduplicateByContent });
      return { token, integrationId: integration.id };
    },
    issueStreamToken: async () => {
      const issue = createIssueSubscription({ subscriptions: real.subscriptions, clock });
      const { subscription, token } = await issue({ name: 'screen' });
      return { token, subscriptionId: subscription.id };
    },
    close: async () => {
      await app.close();
      await testBackend.dispose();
    },
  };
}

async function signInThroughPorts(backend: Backend, role: Role): Promise<TestCaller> {
  const userId = randomUUID();
  await backend.users.insert({
    id: userId,
    email: `${userId}@example.com`,
    role,
    disabled: false,
    passwordHash: 'none: this user signs in through the port only',
    createdAt: new Date(),
    lastSignInAt: null,
  });
  const start = createStartSession({ sessions: backend.sessions, clock: systemClock, sessionLifetimeMs: hourMs });
  const { sessionId } = await start(userId);
  const cookie = `service_console=${sessionId}`;
  const csrfToken = csrfTokenOf(sessionId);
  return { userId, sessionId, cookie, csrfToken, headers: { cookie, 'x-csrf-token': csrfToken } };
}
