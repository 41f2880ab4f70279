import { previousTokenExpiry } from '@widget-service/shared/domain/grant.ts';
import type { NewGrant } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { z } from 'zod';
import type { ZodApp } from '../../http/zod-validation.ts';
import { pageQuerySchema, toPageSchema } from '../../schemas/page.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { toPageBody, toRowRange } from '../page-body.ts';
import {
  type GrantResource,
  type GrantRouteDeps,
  grantParamsSchema,
  requireFound,
  requireId,
  toIssuedBody,
} from './grant-resource.ts';

/** The six operations of one kind of grant. */
export function registerGrants<Own extends object>(
  app: ZodApp,
  resource: GrantResource<Own>,
  deps: GrantRouteDeps<Own>,
): void {
  registerListGrants(app, resource, deps);
  registerCreateGrant(app, resource, deps);
  registerGetGrant(app, resource, deps);
  registerChangeGrant(app, resource, deps);
  registerRotateGrant(app, resource, deps);
  registerRevokeGrant(app, resource, deps);
}

/** `GET /api/v1/<plural>`: one page of grants, newest first. */
function registerListGrants<Own extends object>(
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
      response: documentResponses({
        200: { body: toPageSchema(schemas.shown), description: `One page of ${words.many}.` },
      }),
    },
    handler: async ({ query }) => toPageBody(query, await grants.list(toRowRange(query)), toBody),
  });
}

/** `POST /api/v1/<plural>`: creates a grant, and shows its token this once. */
function registerCreateGrant<Own extends object>(
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
      response: documentResponses({ 201: { body: schemas.issued, headers: ['Location'] } }),
    },
    handler: async (request, reply) => {
      const { input, isSigned } = request.body;
      const issued = await useCases.issue(input, isSigned);
      return reply
        .code(201)
        .header('location', `${plural}/${issued.grant.id}`)
        .send(toIssuedBody(issued, resource, request, publicBaseUrl));
    },
  });
}

/** `GET /api/v1/<plural>/{id}`. */
function registerGetGrant<Own extends object>(
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
      response: documentResponses({ 200: schemas.shown }, 'not-found'),
    },
    handler: async ({ params }) => {
      const grant = await grants.get(requireId(params, resource));
      return resource.toBody(requireFound(grant, resource));
    },
  });
}

/** `PATCH /api/v1/<plural>/{id}`: changes the members that are given. */
function registerChangeGrant<Own extends object>(
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
      response: documentResponses({ 200: schemas.shown }, 'not-found'),
    },
    handler: async ({ params, body }) => {
      // What a schema lets through has the schema's type, which the compiler cannot tell of a generic one.
      const changes = body as Partial<NewGrant<Own>>;
      const grant = await useCases.change(requireId(params, resource), changes);
      return resource.toBody(requireFound(grant, resource));
    },
  });
}

/** `POST /api/v1/<plural>/{id}/rotate`: replaces the token, and shows the new one this once. */
function registerRotateGrant<Own extends object>(
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
      response: documentResponses({ 200: schemas.rotated }, 'not-found'),
    },
    handler: async (request) => {
      const rotated = requireFound(await useCases.rotate(requireId(request.params, resource), request.body), resource);
      return {
        ...toIssuedBody(rotated, resource, request, publicBaseUrl),
        previousExpiresAt: previousTokenExpiry(rotated.grant)?.toISOString() ?? null,
      };
    },
  });
}

/** `DELETE /api/v1/<plural>/{id}`: ends a grant; its tokens stop working on every pod. */
function registerRevokeGrant<Own extends object>(
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
      response: documentResponses({ 204: z.null().describe('It is gone, and its tokens with it.') }, 'not-found'),
    },
    handler: async ({ params }, reply) => {
      const isRevoked = await useCases.revoke(requireId(params, resource));
      requireFound(isRevoked ? true : null, resource);
      return reply.code(204).send();
    },
  });
}
