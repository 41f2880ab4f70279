import { endOfPreviousToken } from '@widget-service/shared/domain/grant.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { found, grantParamsSchema, idOf } from './grant-path.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';
import { toIssuedBody } from './issued-body.ts';

/** `POST /api/v1/<plural>/{id}/rotate`: replaces the token, and shows the new one this once. */
export function registerRotateGrant<Own extends object>(
  app: ZodApp,
  resource: GrantResource<Own>,
  { useCases, publicBaseUrl }: Pick<GrantRouteDeps<Own>, 'useCases' | 'publicBaseUrl'>,
): void {
  const { words, plural, operations, permission, schemas } = resource;
  app.post(`/api/v1/${plural}/:id/rotate`, {
    config: { policy: { permission } },
    schema: {
      operationId: `example.${operations}.rotate`,
      summary: `Replace the token of ${words.one}`,
      description:
        'This answer is the only one that shows the new token. The replaced one goes on working for `overlapSeconds`; one that was replaced before ends now.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      params: grantParamsSchema,
      body: schemas.rotation,
      response: answers({ 200: schemas.rotated }, 'not-found'),
    },
    handler: async (request) => {
      const rotated = found(await useCases.rotate(idOf(request.params, resource), request.body), resource);
      return {
        ...toIssuedBody(rotated, resource, request, publicBaseUrl),
        previousExpiresAt: endOfPreviousToken(rotated.grant)?.toISOString() ?? null,
      };
    },
  });
}
