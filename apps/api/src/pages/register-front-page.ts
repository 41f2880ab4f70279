import type { FastifyInstance } from 'fastify';

/** `GET /` leads to the console, because people type the address of the service without a path; else to `/docs`. */
export function registerFrontPage(
  app: FastifyInstance,
  { consoleEnabled, docsEnabled }: { readonly consoleEnabled: boolean; readonly docsEnabled: boolean },
): void {
  if (!consoleEnabled && !docsEnabled) return;
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    config: { policy: 'public' },
    schema: { hide: true },
    handler: async (_request, reply) => reply.redirect(consoleEnabled ? 'console/' : 'docs', 302),
  });
}
