import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { z } from 'zod';
import type { RoutePolicy } from '../caller/enforce-policy.ts';
import { statusForCode } from '../http/problem.ts';
import type { RequestParameterName } from '../schemas/headers.ts';
import type { documentResponses, ResponseDocs } from '../schemas/problem.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Leaves the route out of the OpenAPI document. */
    hide?: boolean;
    operationId?: string;
    summary?: string;
    description?: string;
    /** Headers and query parameters that the route reads with its own code instead of a schema. */
    parameters?: readonly RequestParameterName[];
  }
}

const noResponses: ResponseDocs = { own: {}, problemCodes: [] };

/** What the OpenAPI document contains about a route. */
export interface DescribedRoute {
  /** In lower case. `HEAD` is documented together with its `GET`. */
  readonly method: string;
  /** Has its parameters as `{name}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string | null;
  readonly policy: RoutePolicy;
  readonly allowedBeforePasswordChange: boolean;
  readonly parameters: readonly RequestParameterName[];
  readonly params: z.ZodType | null;
  readonly querystring: z.ZodType | null;
  readonly body: z.ZodType | null;
  /** In bytes. Undefined: the server's limit. */
  readonly bodyLimit: number | undefined;
  readonly responses: ResponseDocs;
}

/**
 * Returns an array that grows with every route that is registered after this call and has no `hide`. To register such a
 * route without an `operationId` or a `summary` throws an `Error`.
 */
export function collectDescribedRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', (route) => {
    if (route.schema?.hide !== true) routes.push(toDescribedRoute(route));
  });
  return routes;
}

function toDescribedRoute({ method, url, schema = {}, config, bodyLimit }: RouteOptions): DescribedRoute {
  const [mainMethod = ''] = [method].flat().filter((name) => name !== 'HEAD');
  const { operationId, summary, description = null, parameters = [], params, querystring, body, response } = schema;
  if (operationId === undefined || summary === undefined) {
    throw new Error(`route ${mainMethod} ${url} has no operationId or summary: add both, or set hide`);
  }
  return {
    method: mainMethod.toLowerCase(),
    path: url.replaceAll(/:(\w+)/g, '{$1}'),
    operationId,
    summary,
    description,
    policy: config?.policy ?? 'public',
    allowedBeforePasswordChange: config?.allowedBeforePasswordChange ?? false,
    parameters,
    params: (params ?? null) as z.ZodType | null,
    querystring: (querystring ?? null) as z.ZodType | null,
    body: (body ?? null) as z.ZodType | null,
    bodyLimit,
    responses: (response as Partial<ReturnType<typeof documentResponses>> | undefined)?.default ?? noResponses,
  };
}

/** Such a request has no body and needs no CSRF token. */
function isReading({ method }: DescribedRoute): boolean {
  return method === 'get';
}

/** Returns the problem codes of a route by status: those that its configuration implies, and those that it lists. */
export function listProblemCodes(route: DescribedRoute): Map<number, readonly ProblemCode[]> {
  const codes = [...new Set([...listImpliedCodes(route), ...route.responses.problemCodes])];
  const statuses = [...new Set(codes.map(statusForCode))].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, codes.filter((code) => statusForCode(code) === status)]));
}

function listImpliedCodes(route: DescribedRoute): ProblemCode[] {
  return [
    ...listPolicyCodes(route),
    ...(route.body === null && route.querystring === null ? [] : (['invalid-request'] as const)),
    // The server parses a body before it checks whether the route has one.
    ...(isReading(route) ? [] : (['invalid-json', 'unsupported-media-type', 'payload-too-large'] as const)),
    ...(route.parameters.includes('Idempotency-Key') ? (['invalid-idempotency-key'] as const) : []),
    ...(selectRateLimit(route.policy) === null ? [] : (['rate-limited'] as const)),
  ];
}

function listPolicyCodes(route: DescribedRoute): ProblemCode[] {
  const { policy, allowedBeforePasswordChange } = route;
  if (policy === 'public') return [];
  if (policy === 'hook-token') return ['invalid-hook-token', 'unavailable'];
  if (policy === 'own-origin') return ['csrf-token-invalid'];
  const needsNoOrigin = isReading(route) && (policy === 'signed-in' || policy.ownOrigin !== true);
  return [
    'not-authenticated',
    ...(needsNoOrigin ? [] : (['csrf-token-invalid'] as const)),
    ...(allowedBeforePasswordChange ? [] : (['password-change-required'] as const)),
    ...(policy === 'signed-in' ? [] : (['permission-denied'] as const)),
    'unavailable',
  ];
}

/**
 * Returns the OpenAPI security requirements of a route: session, CSRF token and provision token, as its policy accepts
 * them. None for a hook token, which is in the path.
 */
export function describeSecurity(route: DescribedRoute): readonly Readonly<Record<string, readonly string[]>>[] {
  const { policy } = route;
  if (policy === 'public' || policy === 'hook-token' || policy === 'own-origin') return [];
  const bySession = isReading(route) ? { sessionCookie: [] } : { sessionCookie: [], csrfToken: [] };
  // The token first: programs that import the document choose the first one, and a script has no session.
  return policy !== 'signed-in' && policy.acceptsBearer === true ? [{ provisionToken: [] }, bySession] : [bySession];
}

/** Returns the rate limit that the description of a route names. Its policy and `registerHookLimits` enforce it. */
export function selectRateLimit(policy: RoutePolicy): 'api' | 'hooks' | null {
  if (policy === 'hook-token') return 'hooks';
  return policy === 'public' || policy === 'own-origin' ? null : 'api';
}
