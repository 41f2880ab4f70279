import type { NewGrant } from '@widget-service/shared/usecases/access/issue-token.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { found, grantParamsSchema, idOf } from './grant-path.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';

/** `PATCH /api/v1/<plural>/{id}`: changes the members that are given. */
export function registerChangeGrant<Own extends object>(
  app: ZodApp,
  resource: GrantResource<Own>,
  { useCases }: Pick<GrantRouteDeps<Own>, 'useCases'>,
): void {
  const { words, plural, operations, permission, schemas } = resource;
  app.patch(`/api/v1/${plural}/:id`, {
    config: { policy: { permission } },
    schema: {
      operationId: `example.${operations}.update`,
      summary: `Change ${words.one}`,
      description: 'Members that are left out stay as they are; `null` sets a member to its default.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      params: grantParamsSchema,
      body: schemas.changes,
      response: answers({ 200: schemas.shown }, 'not-found'),
    },
    handler: async ({ params, body }) => {
      // What a schema lets through has the schema's type, which the compiler cannot tell of a generic one.
      const changes = body as Partial<NewGrant<Own>>;
      const grant = await useCases.change(idOf(params, resource), changes);
      return resource.toBody(found(grant, resource));
    },
  });
}
