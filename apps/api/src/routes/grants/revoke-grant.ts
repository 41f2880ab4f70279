import { z } from 'zod';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { found, grantParamsSchema, idOf } from './grant-path.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';

/** `DELETE /api/v1/<plural>/{id}`: ends a grant; its tokens stop working on every pod. */
export function registerRevokeGrant<Own extends object>(
  app: ZodApp,
  resource: GrantResource<Own>,
  { useCases }: Pick<GrantRouteDeps<Own>, 'useCases'>,
): void {
  const { words, plural, operations, permission } = resource;
  app.delete(`/api/v1/${plural}/:id`, {
    config: { policy: { permission } },
    schema: {
      operationId: `example.${operations}.delete`,
      summary: `Delete ${words.one}`,
      description: 'Its tokens end at once. After a 503 it may be gone already: repeat until 204 or 404.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      params: grantParamsSchema,
      response: answers({ 204: z.null().describe('It is gone, and its tokens with it.') }, 'not-found'),
    },
    handler: async ({ params }, reply) => {
      const isRevoked = await useCases.revoke(idOf(params, resource));
      found(isRevoked ? true : null, resource);
      return reply.code(204).send();
    },
  });
}
