import { type AuditMembers, pickChangedMembers } from '@widget-service/shared/domain/audit-event.ts';
import { type Grant, previousTokenExpiry } from '@widget-service/shared/entities/grant.ts';
import type { Where } from '@widget-service/shared/ports/collection.ts';
import type { IssuedGrant, NewGrant } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { ExpiryTooLateError } from '@widget-service/shared/usecases/access/token-lifetime.ts';
import { listCountedPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { requirePrincipalId } from '../caller/policy.ts';
import { toPublicUrl } from '../http/forwarding.ts';
import { InputError } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { toPageSchema } from '../schemas/page.ts';
import { toPageBody } from '../schemas/page-body.ts';
import { documentResponses } from '../schemas/problem.ts';
import { endPreviousTokenRoute } from './end-previous-token.ts';
import { grantParamsSchema, requireFound, requireId } from './grant-params.ts';
import type { GrantResource, GrantRouteDeps } from './grant-resource.ts';
import { listGrantsQuerySchema } from './grant-schema.ts';

/** Makes the seven routes of one kind of grant. `select` returns the part of the api's dependencies that they need. */
export function makeGrantRoutes<Own extends object, Deps>(
  resource: GrantResource<Own>,
  select: (deps: Deps) => GrantRouteDeps<Own>,
) {
  type MakeRoute = (resource: GrantResource<Own>, deps: GrantRouteDeps<Own>) => Route;
  const bind = (makeRoute: MakeRoute) => (deps: Deps) => makeRoute(resource, select(deps));
  return {
    list: bind(listGrantsRoute),
    create: bind(createGrantRoute),
    get: bind(getGrantRoute),
    change: bind(changeGrantRoute),
    rotate: bind(rotateGrantRoute),
    endPrevious: bind(endPreviousTokenRoute),
    revoke: bind(revokeGrantRoute),
  };
}

/** `GET /api/v1/<pathSegment>`: one page of grants, newest first. */
function listGrantsRoute<Own extends object>(
  { nouns, operationGroup, schemas, toBody }: GrantResource<Own>,
  { grants }: Pick<GrantRouteDeps<Own>, 'grants'>,
): Route {
  return defineRoute({
    schema: {
      operationId: `example.${operationGroup}.list`,
      summary: `List ${nouns.plural}`,
      description:
        'Returns one page, newest first. Tokens are never included. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `createdBefore`.',
      querystring: listGrantsQuerySchema,
      response: documentResponses({
        200: { body: toPageSchema(schemas.shown), description: `One page of ${nouns.plural}.` },
      }),
    },
    handler: async ({ query }) => {
      const { createdBefore, expiresBefore, name } = query;
      const where: Where<Grant> = {
        createdAt: { below: createdBefore },
        expiresAt: { below: expiresBefore },
        name: { contains: name },
      };
      return toPageBody(query, await listCountedPage(grants, where, query), toBody);
    },
  });
}

/** `POST /api/v1/<pathSegment>`: creates a grant. Only this response shows its token. */
function createGrantRoute<Own extends object>(
  resource: GrantResource<Own>,
  { useCases, publicBaseUrl }: Pick<GrantRouteDeps<Own>, 'useCases' | 'publicBaseUrl'>,
): Route {
  const { nouns, pathSegment, operationGroup, schemas } = resource;
  return defineRoute({
    schema: {
      operationId: `example.${operationGroup}.create`,
      summary: `Create ${nouns.singular}`,
      description: 'This response is the only one that shows the token. Store it now, and keep it secret.',
      body: schemas.creation,
      response: documentResponses({ 201: { body: schemas.issued, headers: ['Location'] } }),
    },
    handler: async (request, reply) => {
      const { input, ...issue } = request.body;
      const issued = await useCases
        .issue(input, { createdBy: requirePrincipalId(request), ...issue })
        .catch(rethrowAsInputError);
      const { id, name } = issued.grant;
      noteAudit(request, { targetId: id, targetName: name, after: toAuditMembers(issued.grant, resource) });
      return reply
        .code(201)
        .header('location', `${pathSegment}/${id}`)
        .send(toIssuedBody(issued, resource, request, publicBaseUrl));
    },
  });
}

/** `GET /api/v1/<pathSegment>/{id}`: one grant. */
function getGrantRoute<Own extends object>(
  resource: GrantResource<Own>,
  { grants }: Pick<GrantRouteDeps<Own>, 'grants'>,
): Route {
  const { nouns, operationGroup, schemas } = resource;
  return defineRoute({
    schema: {
      operationId: `example.${operationGroup}.get`,
      summary: `Get ${nouns.singular}`,
      params: grantParamsSchema,
      response: documentResponses({ 200: schemas.shown }, 'not-found'),
    },
    handler: async ({ params }) => {
      const grant = await grants.get(requireId(params, resource));
      return resource.toBody(requireFound(grant, resource));
    },
  });
}

/** `PATCH /api/v1/<pathSegment>/{id}`: changes the members that are sent. */
function changeGrantRoute<Own extends object>(
  resource: GrantResource<Own>,
  { useCases, grants }: Pick<GrantRouteDeps<Own>, 'useCases' | 'grants'>,
): Route {
  const { nouns, operationGroup, schemas } = resource;
  return defineRoute({
    schema: {
      operationId: `example.${operationGroup}.update`,
      summary: `Change ${nouns.singular}`,
      description: 'Members that are left out keep their value. `null` sets a member to its default; `name` has none.',
      params: grantParamsSchema,
      body: schemas.changes,
      response: documentResponses({ 200: schemas.shown }, 'not-found'),
    },
    handler: async (request) => {
      // The schema has validated the body, but the compiler cannot infer the type of a generic schema.
      const changes = request.body as Partial<NewGrant<Own>>;
      const id = requireId(request.params, resource);
      // Another request may change the grant in between. Then the event shows both changes as this one.
      const before = await grants.get(id);
      const changed = await useCases.change(id, changes).catch(rethrowAsInputError);
      const grant = requireFound(changed, resource);
      const membersBefore = before === null ? {} : toAuditMembers(before, resource);
      const changedMembers = pickChangedMembers(membersBefore, toAuditMembers(grant, resource));
      noteAudit(request, { targetName: grant.name, ...changedMembers });
      return resource.toBody(grant);
    },
  });
}

/** `POST /api/v1/<pathSegment>/{id}/rotate`: replaces the token. Only this response shows the new one. */
function rotateGrantRoute<Own extends object>(
  resource: GrantResource<Own>,
  { useCases, grants, publicBaseUrl }: GrantRouteDeps<Own>,
): Route {
  const { nouns, operationGroup, schemas } = resource;
  return defineRoute({
    schema: {
      operationId: `example.${operationGroup}.rotate`,
      summary: `Rotate the token of ${nouns.singular}`,
      description:
        'Replaces the token. This response is the only one that shows the new token. The previous token keeps working for `overlapSeconds`; an even older one stops working now.',
      params: grantParamsSchema,
      body: schemas.rotation,
      response: documentResponses({ 200: schemas.rotated }, 'not-found'),
    },
    handler: async (request) => {
      const id = requireId(request.params, resource);
      const grant = resource.checkRotation === undefined ? null : await grants.get(id);
      if (grant !== null) resource.checkRotation?.(grant, request.body);
      const rotated = requireFound(await useCases.rotate(id, request.body), resource);
      const previousExpiresAt = previousTokenExpiry(rotated.grant)?.toISOString() ?? null;
      noteAudit(request, { targetName: rotated.grant.name, after: { previousExpiresAt } });
      return {
        ...toIssuedBody(rotated, resource, request, publicBaseUrl),
        ...resource.toPreviousBody?.(rotated.grant, previousExpiresAt !== null),
      };
    },
  });
}

/** `DELETE /api/v1/<pathSegment>/{id}`: revokes a grant. Its tokens stop working on every pod within 2 s. */
function revokeGrantRoute<Own extends object>(
  resource: GrantResource<Own>,
  { useCases, grants }: Pick<GrantRouteDeps<Own>, 'useCases' | 'grants'>,
): Route {
  const { nouns, operationGroup } = resource;
  return defineRoute({
    schema: {
      operationId: `example.${operationGroup}.delete`,
      summary: `Delete ${nouns.singular}`,
      description:
        'Its tokens stop working, and any streams opened with them close, within 2 seconds. After a 503 it may already be deleted: repeat the request until you get 204 or 404.',
      params: grantParamsSchema,
      response: documentResponses({ 204: z.null().describe('It is deleted.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const id = requireId(request.params, resource);
      const grant = await grants.get(id);
      if (grant !== null) noteAudit(request, { targetName: grant.name, before: toAuditMembers(grant, resource) });
      requireFound((await useCases.revoke(id)) ? true : null, resource);
      return reply.code(204).send();
    },
  });
}

/** An expiry that is too late is a mistake in the body, but only the use case knows the limit. */
function rethrowAsInputError(error: unknown): never {
  if (!(error instanceof ExpiryTooLateError)) throw error;
  throw new InputError('invalid-request', 'The request is not valid; "errors" names what is wrong.', [
    { detail: error.message, code: 'too-large', pointer: '#/expiresAt' },
  ]);
}

/** Returns the members of a grant that people set. Those that change by use would look like a part of a change. */
function toAuditMembers<Own extends object>(
  grant: Grant & Own,
  { toBody }: Pick<GrantResource<Own>, 'toBody'>,
): AuditMembers {
  const unset = ['id', 'createdAt', 'previousExpiresAt', 'lastConnectedAt', 'lastReceivedAt', 'lastUsedAt'];
  return Object.fromEntries(Object.entries(toBody(grant)).filter(([name]) => !unset.includes(name)));
}

/** Converts a grant and the secrets of its new token to a response body. Only this response shows the secrets. */
function toIssuedBody<Own extends object>(
  { grant, token, signingSecret }: IssuedGrant<Own>,
  { toBody, toTokenPath }: Pick<GrantResource<Own>, 'toBody' | 'toTokenPath'>,
  request: FastifyRequest,
  publicBaseUrl: string | null,
): object {
  return {
    ...toBody(grant),
    token,
    ...(toTokenPath === null ? {} : { url: toPublicUrl(request, publicBaseUrl, toTokenPath(token)) }),
    ...(signingSecret === null ? {} : { signingSecret }),
  };
}
