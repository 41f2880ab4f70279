import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { z } from 'zod';
import type { RoutePolicy } from '../auth/policy.ts';
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
    /** OpenAPI security requirements. Without them, they follow from the route's policy. */
    security?: readonly Readonly<Record<string, readonly string[]>>[];
    /** Headers and query parameters that the route's own code reads, so that no schema describes them. */
    parameters?: readonly RequestParameterName[];
  }
}

const noAnswers: ResponseDocs = { own: {}, refusals: [] };

/** A route as far as the document tells of it. */
export interface DescribedRoute {
  /** As the document writes it: in lower case, `HEAD` being told with its `GET`. */
  readonly method: string;
  /** With parameters as `{name}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string | null;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[] | null;
  readonly policy: RoutePolicy;
  readonly isReading: boolean;
  readonly rateLimit: string | null;
  readonly parameters: readonly RequestParameterName[];
  readonly params: z.ZodType | null;
  readonly querystring: z.ZodType | null;
  readonly body: z.ZodType | null;
  readonly responses: ResponseDocs;
}

/** Keeps every route that is registered from now on and is not hidden from the document. */
export function collectDescribedRoutes(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', (route) => {
    if (route.schema?.hide !== true) routes.push(describedRoute(route));
  });
  return routes;
}

function describedRoute({ method, url, schema = {}, config }: RouteOptions): DescribedRoute {
  const [main = ''] = [method].flat().filter((each) => each !== 'HEAD');
  const { operationId, summary, description = null, security = null, parameters = [], response } = schema;
  if (operationId === undefined || summary === undefined) {
    throw new Error(`route ${main} ${url} has no operationId or summary: give it both, or hide it`);
  }
  const { policy = 'public' } = config ?? {};
  return {
    method: main.toLowerCase(),
    path: url.replaceAll(/:(\w+)/g, '{$1}'),
    operationId,
    summary,
    description,
    security,
    policy,
    isReading: main === 'GET',
    rateLimit: config?.rateLimit ?? null,
    parameters,
    params: (schema.params ?? null) as z.ZodType | null,
    querystring: (schema.querystring ?? null) as z.ZodType | null,
    body: (schema.body ?? null) as z.ZodType | null,
    responses: (response as Partial<ReturnType<typeof documentResponses>> | undefined)?.default ?? noAnswers,
  };
}

/** The codes that a route refuses with, by status: those that follow from what it is, and those that it names. */
export function listRefusals(route: DescribedRoute): Map<number, readonly ProblemCode[]> {
  const codes = [...new Set([...impliedCodes(route), ...route.responses.refusals])];
  const statuses = [...new Set(codes.map(statusForCode))].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, codes.filter((code) => statusForCode(code) === status)]));
}

function impliedCodes(route: DescribedRoute): ProblemCode[] {
  return [
    ...policyCodes(route.policy, route.isReading),
    ...(route.body === null && route.querystring === null ? [] : (['invalid-request'] as const)),
    // A body is read before it is known that none was asked for.
    ...(route.isReading ? [] : (['invalid-json', 'unsupported-media-type', 'payload-too-large'] as const)),
    ...(route.parameters.includes('Idempotency-Key') ? (['invalid-idempotency-key'] as const) : []),
    ...(route.rateLimit !== null ? (['rate-limited'] as const) : []),
  ];
}

function policyCodes(policy: RoutePolicy, isReading: boolean): ProblemCode[] {
  if (policy === 'public') return [];
  if (policy === 'hook-token') return ['invalid-hook-token', 'unavailable'];
  if (policy === 'own-origin') return ['csrf-token-invalid'];
  return [
    'not-authenticated',
    ...(isReading ? [] : (['csrf-token-invalid'] as const)),
    ...(policy === 'signed-in' ? [] : (['permission-denied'] as const)),
    'unavailable',
  ];
}

/** The credentials that a route takes: those it names, else those that its policy asks for. */
export function describeSecurity({ security, policy, isReading }: DescribedRoute): DescribedRoute['security'] {
  if (security !== null) return security;
  if (policy === 'public' || policy === 'hook-token' || policy === 'own-origin') return [];
  const bySession = isReading ? { sessionCookie: [] } : { sessionCookie: [], csrfToken: [] };
  return policy !== 'signed-in' && policy.acceptsBearer === true ? [bySession, { provisionToken: [] }] : [bySession];
}
