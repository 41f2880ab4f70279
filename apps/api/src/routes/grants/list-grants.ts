import type { ZodApp } from '../../http/zod-app.ts';
import { pageQuerySchema, pageSchemaOf } from '../../schemas/page.ts';
import { answers } from '../../schemas/problem.ts';
import { rangeOf, toPageBody } from '../page-body.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';

/** `GET /api/v1/<plural>`: one page of grants, newest first. */
export function registerListGrants<Own extends object>(
  app: ZodApp,
  { words, plural, operations, permission, schemas, toBody }: GrantResource<Own>,
  { grants }: Pick<GrantRouteDeps<Own>, 'grants'>,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `/api/v1/${plural}`,
    config: { policy: { permission } },
    schema: {
      operationId: `example.${operations}.list`,
      summary: `List ${words.many}`,
      description: 'Newest first, one page at a time. Tokens are not shown.',
      security: [{ sessionCookie: [] }],
      querystring: pageQuerySchema,
      response: answers({ 200: { body: pageSchemaOf(schemas.shown), description: `One page of ${words.many}.` } }),
    },
    handler: async ({ query }) => toPageBody(query, await grants.list(rangeOf(query)), toBody),
  });
}
