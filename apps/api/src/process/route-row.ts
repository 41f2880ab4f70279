import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import type { FastifyContextConfig } from 'fastify';
import type { RouteAudit } from '../audit/audit.ts';
import type { AnswerProbeRouteDeps } from '../hooks/answer-probe-route.ts';
import type { Route } from '../http/route.ts';
import type { DescribedRoute } from '../openapi/described-route.ts';
import type { OverviewDeps } from '../operators/overview.ts';
import type { SignInWays } from '../pages/docs-page.ts';
import type { ConfiguredIdentityProvider } from '../people/sign-in-by-identity.ts';
import type { StreamDirectory } from '../streams/stream-directory.ts';
import type { StreamRouteDeps } from '../streams/stream-events.ts';
import type { InterfaceSettings } from './interface-settings.ts';
import type { UseCases } from './use-cases.ts';

type Stores = Pick<
  Backend,
  | 'widgets'
  | 'users'
  | 'subscriptions'
  | 'integrations'
  | 'provisionTokens'
  | 'ledger'
  | 'quarantine'
  | 'auditEvents'
  | 'eventLog'
  | 'refusals'
  | 'samples'
  | 'hookCounts'
>;

/** Everything that routes need. Each route declares the part that it uses. Without a use case, it calls a store. */
export interface RouteDeps extends UseCases, Stores, InterfaceSettings {
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly stream: StreamRouteDeps;
  readonly caches: AnswerProbeRouteDeps['caches'];
  readonly streamDirectory: StreamDirectory;
  readonly overview: OverviewDeps;
  /** Null: nobody signs in through a provider. */
  readonly identityProvider: ConfiguredIdentityProvider | null;
  readonly signInWays: SignInWays;
  readonly describedRoutes: readonly DescribedRoute[];
}

/**
 * Who may call a route: its policy (`RoutePolicy`). The rate limit follows from it (`selectRateLimit`). `body` is the
 * size of its body. Left out: `usual`.
 */
export interface Access extends Pick<FastifyContextConfig, 'policy' | 'allowedBeforePasswordChange'> {
  readonly body?: BodySize;
}

export type BodySize = keyof ReturnType<typeof toBodyLimits>;

/**
 * The largest bodies, in bytes. Whatever the schema of a route allows must fit into its size. A preview has the body of
 * a hook as a text in its JSON, which lengthens it: most by a backslash before each quote.
 */
export function toBodyLimits(hook: number) {
  const large = Math.max(65_536, hook);
  return { brief: 4_096, usual: 16_384, large, hook, preview: 3 * large };
}

export const everybody: Access = { policy: 'public' };

/** A row of a table of routes. */
export type Row = readonly [
  methods: string,
  path: `/${string}`,
  access: Access,
  makeRoute: (deps: RouteDeps) => Route,
  audit?: RouteAudit,
];
