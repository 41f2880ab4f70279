import type { FastifyInstance, RouteOptions } from 'fastify';
import type { z } from 'zod';
import type { RoutePolicy } from '../auth/policy.ts';
import type { RequestParameterName } from '../schemas/headers.ts';
import type { answers, RouteAnswers } from '../schemas/problem.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Headers and query parameters that code of the route's own reads. */
    parameters?: readonly RequestParameterName[];
  }
}

const noAnswers: RouteAnswers = { own: {}, refusals: [] };

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
  readonly answers: RouteAnswers;
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
    answers: (response as Partial<ReturnType<typeof answers>> | undefined)?.default ?? noAnswers,
  };
}
