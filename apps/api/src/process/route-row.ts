import type { FastifyContextConfig } from 'fastify';
import type { RouteAudit } from '../audit/audit.ts';
import type { Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';

/**
 * Who may call a route: its policy (`RoutePolicy`). The rate limit follows from it (`selectRateLimit`). `body` is the
 * size of its body. Default: `usual`.
 */
export interface Access extends Pick<FastifyContextConfig, 'policy' | 'allowedBeforePasswordChange'> {
  readonly body?: BodySize;
}

export type BodySize = keyof ReturnType<typeof toBodyLimits>;

/**
 * The body limits in bytes, by size class. A body that a route's schema allows must fit. A preview contains the body of
 * a hook as a JSON string, which is longer: most of all by a backslash before each quote.
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
