import type { FastifyInstance } from 'fastify';
import { describeInterface } from './describe-interface.ts';
import { collectDescribedRoutes } from './described-route.ts';

/**
 * `GET /api/v1/openapi.json`: the description of this interface, made of the routes that are registered from now on
 * when it is asked for the first time.
 */
export function registerOpenApi(app: FastifyInstance, publicBaseUrl: string | null): void {
  const routes = collectDescribedRoutes(app);
  let text: string | null = null;
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/openapi.json',
    config: { policy: 'public' },
    schema: { hide: true },
    handler: async (_request, reply) => {
      text ??= JSON.stringify(describeInterface(routes, publicBaseUrl));
      return reply.type('application/json; charset=utf-8').send(text);
    },
  });
}
