import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { found, grantParamsSchema, idOf } from './grant-path.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';

/** `GET /api/v1/<plural>/{id}`. */
export function registerGetGrant<Own extends object>(
  app: ZodApp,
  resource: GrantResource<Own>,
  { grants }: Pick<GrantRouteDeps<Own>, 'grants'>,
): void {
  const { words, plural, operations, permission, schemas } = resource;
  app.route({
    method: ['GET', 'HEAD'],
    url: `/api/v1/${plural}/:id`,
    config: { policy: { permission } },
    schema: {
      operationId: `example.${operations}.get`,
      summary: `Get ${words.one}`,
      security: [{ sessionCookie: [] }],
      params: grantParamsSchema,
      response: answers({ 200: schemas.shown }, 'not-found'),
    },
    handler: async ({ params }) => {
      const grant = await grants.get(idOf(params, resource));
      return resource.toBody(found(grant, resource));
    },
  });
}
