import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';
import { toIssuedBody } from './issued-body.ts';

/** `POST /api/v1/<plural>`: creates a grant, and shows its token this once. */
export function registerCreateGrant<Own extends object>(
  app: ZodApp,
  resource: GrantResource<Own>,
  { useCases, publicBaseUrl }: Pick<GrantRouteDeps<Own>, 'useCases' | 'publicBaseUrl'>,
): void {
  const { words, plural, operations, permission, schemas } = resource;
  app.post(`/api/v1/${plural}`, {
    config: { policy: { permission } },
    schema: {
      operationId: `example.${operations}.create`,
      summary: `Create ${words.one}`,
      description: 'This answer is the only one that shows the token: keep it, and keep it secret.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      body: schemas.creation,
      response: answers({ 201: { body: schemas.issued, headers: ['Location'] } }),
    },
    handler: async (request, reply) => {
      const { chosen, isSigned } = request.body;
      const issued = await useCases.issue(chosen, isSigned);
      return reply
        .code(201)
        .header('location', `${plural}/${issued.grant.id}`)
        .send(toIssuedBody(issued, resource, request, publicBaseUrl));
    },
  });
}
