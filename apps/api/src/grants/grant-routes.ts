import type { Settings } from '@widget-service/shared/config/settings.ts';
import { type AuditMembers, pickChangedMembers } from '@widget-service/shared/entities/audit-event.ts';
import { type Grant, previousTokenExpiry } from '@widget-service/shared/entities/grant.ts';
import type { Collection, Where } from '@widget-service/shared/ports/collection.ts';
import {
  ExpiryTooLateError,
  type IssuedGrant,
  type ManageGrants,
  type NewGrant,
} from '@widget-service/shared/usecases/access/manage-grants.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { requirePrincipalId } from '../caller/enforce-policy.ts';
import { toPublicUrl } from '../http/forwarding.ts';
import { invalidRequest } from '../http/problem.ts';
import { idParamsSchema, notFound, requireById, requireFound, requireId } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { readPage, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { type GrantResource, listGrantsQuerySchema } from './grant-schema.ts';

export type GrantOperation = 'list' | 'create' | 'get' | 'change' | 'rotate' | 'endPrevious' | 'revoke';

/** The seven routes of one kind of grant. */
export class GrantRoutes<Own extends object> implements Record<GrantOperation, () => Route> {
  readonly #resource: GrantResource<Own>;
  /** Without its article. */
  readonly #noun: string;
  readonly #manage: ManageGrants<Own>;
  /** Routes that only read call the port directly. */
  readonly #grants: Collection<Grant & Own>;
  readonly #settings: Settings;

  constructor(
    resource: GrantResource<Own>,
    manage: ManageGrants<Own>,
    grants: Collection<Grant & Own>,
    settings: Settings,
  ) {
    this.#resource = resource;
    this.#noun = resource.singular.replace(/^an? /, '');
    this.#manage = manage;
    this.#grants = grants;
    this.#settings = settings;
  }

  /** `GET /api/v1/<pathSegment>`: one page of grants, newest first. */
  list(): Route {
    const { pathSegment, operationGroup, schemas, toBody } = this.#resource;
    const plural = pathSegment.replaceAll('-', ' ');
    return defineRoute({
      schema: {
        operationId: `example.${operationGroup}.list`,
        summary: `List ${plural}`,
        description:
          'Returns one page, newest first. Tokens are never included. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `createdBefore`.',
        querystring: listGrantsQuerySchema,
        response: documentResponses({
          200: { body: toPageSchema(schemas.shown), description: `One page of ${plural}.` },
        }),
      },
      handler: async ({ query }) => {
        const { createdBefore, expiresBefore, name } = query;
        const where: Where<Grant> = {
          createdAt: { below: createdBefore },
          expiresAt: { below: expiresBefore },
          name: { contains: name },
        };
        return toPageBody(query, await readPage(this.#grants, where, query), toBody);
      },
    });
  }

  /** `POST /api/v1/<pathSegment>`: creates a grant. Only this response shows its token. */
  create(): Route {
    const { singular, pathSegment, operationGroup, schemas } = this.#resource;
    return defineRoute({
      schema: {
        operationId: `example.${operationGroup}.create`,
        summary: `Create ${singular}`,
        description: 'This response is the only one that shows the token. Store it now, and keep it secret.',
        body: schemas.creation,
        response: documentResponses({ 201: { body: schemas.issued, headers: ['Location'] } }),
      },
      handler: async (request, reply) => {
        const { input, ...issue } = request.body;
        const options = { createdBy: requirePrincipalId(request), ...issue };
        const issued = await this.#manage.issue(input, options).catch(rethrowAsInputError);
        const { id, name } = issued.grant;
        noteAudit(request, { targetId: id, targetName: name, after: this.#toAuditMembers(issued.grant) });
        return reply.code(201).header('location', `${pathSegment}/${id}`).send(this.#toIssuedBody(issued, request));
      },
    });
  }

  /** `GET /api/v1/<pathSegment>/{id}`: one grant. */
  get(): Route {
    const { singular, operationGroup, schemas, toBody } = this.#resource;
    return defineRoute({
      schema: {
        operationId: `example.${operationGroup}.get`,
        summary: `Get ${singular}`,
        params: idParamsSchema,
        response: documentResponses({ 200: schemas.shown }, 'not-found'),
      },
      handler: async ({ params }) => toBody(await requireById(this.#grants, params, this.#noun)),
    });
  }

  /** `PATCH /api/v1/<pathSegment>/{id}`: changes the members that are sent. */
  change(): Route {
    const { singular, operationGroup, schemas, toBody } = this.#resource;
    return defineRoute({
      schema: {
        operationId: `example.${operationGroup}.update`,
        summary: `Change ${singular}`,
        description:
          'Members that are left out keep their value. `null` sets a member to its default; `name` has none.',
        params: idParamsSchema,
        body: schemas.changes,
        response: documentResponses({ 200: schemas.shown }, 'not-found'),
      },
      handler: async (request) => {
        // The schema has validated the body, but the compiler cannot infer the type of a generic schema.
        const changes = request.body as Partial<NewGrant<Own>>;
        const id = requireId(request.params.id, this.#noun);
        // Another request may change the grant in between. Then the event shows both changes as this one.
        const before = await this.#grants.get(id);
        const grant = requireFound(await this.#manage.change(id, changes).catch(rethrowAsInputError), this.#noun);
        const membersBefore = before === null ? {} : this.#toAuditMembers(before);
        const changedMembers = pickChangedMembers(membersBefore, this.#toAuditMembers(grant));
        noteAudit(request, { targetName: grant.name, ...changedMembers });
        return toBody(grant);
      },
    });
  }

  /** `POST /api/v1/<pathSegment>/{id}/rotate`: replaces the token. Only this response shows the new one. */
  rotate(): Route {
    const { singular, operationGroup, schemas, checkRotation, toPreviousBody } = this.#resource;
    return defineRoute({
      schema: {
        operationId: `example.${operationGroup}.rotate`,
        summary: `Rotate the token of ${singular}`,
        description:
          'Replaces the token. This response is the only one that shows the new token. The previous token keeps working for `overlapSeconds`; an even older one stops working now.',
        params: idParamsSchema,
        body: schemas.rotation,
        response: documentResponses({ 200: schemas.rotated ?? schemas.issued }, 'not-found'),
      },
      handler: async (request) => {
        const id = requireId(request.params.id, this.#noun);
        const grant = checkRotation === undefined ? null : await this.#grants.get(id);
        if (grant !== null) checkRotation?.(grant, request.body);
        const rotated = requireFound(await this.#manage.rotate(id, request.body), this.#noun);
        const previousExpiresAt = previousTokenExpiry(rotated.grant)?.toISOString() ?? null;
        noteAudit(request, { targetName: rotated.grant.name, after: { previousExpiresAt } });
        const previous = toPreviousBody?.(rotated.grant, previousExpiresAt !== null);
        return { ...this.#toIssuedBody(rotated, request), ...previous };
      },
    });
  }

  /** `DELETE /api/v1/<pathSegment>/{id}/previous-token`: ends the token that the last rotation replaced. */
  endPrevious(): Route {
    const { singular, operationGroup } = this.#resource;
    return defineRoute({
      schema: {
        operationId: `example.${operationGroup}.endPreviousToken`,
        summary: `End the previous token of ${singular}`,
        description:
          'The token that the last rotation replaced stops working within 2 seconds; the current one stays. Does nothing if there is no previous token. After a 503 it may have ended already: repeat the request until you get 204 or 404.',
        params: idParamsSchema,
        response: documentResponses({ 204: z.null().describe('There is no previous token.') }, 'not-found'),
      },
      handler: async (request, reply) => {
        const id = requireId(request.params.id, this.#noun);
        const ended = requireFound(await this.#manage.endPreviousToken(id), this.#noun);
        const previousExpiresAt = previousTokenExpiry(ended.before)?.toISOString() ?? null;
        noteAudit(request, {
          targetName: ended.before.name,
          before: { previousExpiresAt },
          after: { previousExpiresAt: null },
          isSkipped: !ended.isEnded,
        });
        return reply.code(204).send();
      },
    });
  }

  /** `DELETE /api/v1/<pathSegment>/{id}`: revokes a grant. Its tokens stop working on every pod within 2 s. */
  revoke(): Route {
    const { singular, operationGroup } = this.#resource;
    return defineRoute({
      schema: {
        operationId: `example.${operationGroup}.delete`,
        summary: `Delete ${singular}`,
        description:
          'Its tokens stop working, and any streams opened with them close, within 2 seconds. After a 503 it may already be deleted: repeat the request until you get 204 or 404.',
        params: idParamsSchema,
        response: documentResponses({ 204: z.null().describe('It is deleted.') }, 'not-found'),
      },
      handler: async (request, reply) => {
        const id = requireId(request.params.id, this.#noun);
        const grant = await this.#grants.get(id);
        if (grant !== null) noteAudit(request, { targetName: grant.name, before: this.#toAuditMembers(grant) });
        if (!(await this.#manage.revoke(id))) throw notFound(this.#noun);
        return reply.code(204).send();
      },
    });
  }

  /** Returns the members of a grant that people set. Those that change by use would look like a part of a change. */
  #toAuditMembers(grant: Grant & Own): AuditMembers {
    const unset = ['id', 'createdAt', 'previousExpiresAt', 'lastConnectedAt', 'lastReceivedAt', 'lastUsedAt'];
    return Object.fromEntries(Object.entries(this.#resource.toBody(grant)).filter(([name]) => !unset.includes(name)));
  }

  /** Converts a grant and the secrets of its new token to a response body. Only this response shows the secrets. */
  #toIssuedBody({ grant, token, signingSecret }: IssuedGrant<Own>, request: FastifyRequest): object {
    const { toBody, toTokenPath } = this.#resource;
    return {
      ...toBody(grant),
      token,
      ...(toTokenPath === null
        ? {}
        : { url: toPublicUrl(request, this.#settings.PUBLIC_BASE_URL, toTokenPath(token)) }),
      ...(signingSecret === null ? {} : { signingSecret }),
    };
  }
}

/** An expiry that is too late is a mistake in the body, but only the use case knows the limit. */
function rethrowAsInputError(error: unknown): never {
  if (!(error instanceof ExpiryTooLateError)) throw error;
  throw invalidRequest({ detail: error.message, code: 'too-large', pointer: '#/expiresAt' });
}
