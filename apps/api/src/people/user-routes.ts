import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { pickChangedMembers, toAuditName } from '@widget-service/shared/entities/audit-event.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import { listCountedPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AuditNotes, noteAudit } from '../audit/audit.ts';
import { requireSession } from '../caller/enforce-policy.ts';
import { idParamsSchema, notFound, requireById, requireId } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { pageQuerySchema, toPageBody } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { activeSessionPageSchema, makeToActiveSessionBody } from './sessions.ts';
import {
  newUserSchema,
  toUserAuditMembers,
  toUserBody,
  userChangesSchema,
  userPageSchema,
  userSchema,
} from './user-schema.ts';

/** `GET /api/v1/users`: one page of users, newest first. */
export function listUsersRoute({ users }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.list',
      summary: 'List users',
      description: 'Returns one page of users, newest first.',
      querystring: pageQuerySchema,
      response: documentResponses({ 200: { body: userPageSchema, description: 'One page of users.' } }),
    },
    handler: async ({ query }) => toPageBody(query, await listCountedPage(users, {}, query), toUserBody),
  });
}

/** `POST /api/v1/users`: creates a user. */
export function createUserRoute({ manageUsers }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.create',
      summary: 'Create a user',
      body: newUserSchema,
      response: documentResponses(
        { 201: { body: userSchema, headers: ['Location'] } },
        'email-in-use',
        'weak-password',
      ),
    },
    handler: async (request, reply) => {
      const outcome = await manageUsers.create(request.body);
      if (outcome.status === 'weak-password') throw new ServiceError('weak-password', outcome.detail);
      if (outcome.status === 'email-in-use') {
        throw new ServiceError('email-in-use', 'Another user has this e-mail address.');
      }
      const { id, email } = outcome.user;
      const after = { email, ...toUserAuditMembers(outcome.user) };
      noteAudit(request, { targetId: id, targetName: toAuditName(outcome.user), after });
      return reply.code(201).header('location', `users/${id}`).send(toUserBody(outcome.user));
    },
  });
}

/** `GET /api/v1/users/{id}`: one user. */
export function getUserRoute({ users }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.get',
      summary: 'Get a user',
      params: idParamsSchema,
      response: documentResponses({ 200: userSchema }, 'not-found'),
    },
    handler: async ({ params }) => toUserBody(await requireById(users, params, 'user')),
  });
}

/** `PATCH /api/v1/users/{id}`: changes a user's name, role or password, or disables or enables the user. */
export function changeUserRoute({ users, manageUsers }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.update',
      summary: 'Change a user',
      description:
        'Members that are left out or null keep their value, except that a null `name` removes the name. Disabling a user or setting a password ends all sessions of that user. You cannot set your own password here: `PUT /api/v1/session/password` asks for the current one. A user who signs in through the identity provider has no password, and gets the role from the provider again at each sign-in.',
      params: idParamsSchema,
      body: userChangesSchema,
      response: documentResponses(
        { 200: userSchema },
        'not-found',
        'last-admin',
        'weak-password',
        'user-has-no-password',
      ),
    },
    handler: async (request) => {
      const { role = null, disabled = null, password = null, ...named } = request.body;
      const userId = requireId(request.params.id, 'user');
      if (password !== null) rejectOwnPassword(request, userId);
      // Another admin may change the user in between. Then the event shows both changes as this one.
      const before = await users.get(userId);
      const outcome = await manageUsers.change(userId, { role, disabled, password, ...named });
      if (outcome.status === 'unknown') throw notFound('user');
      if (outcome.status === 'weak-password') throw new ServiceError('weak-password', outcome.detail);
      if (outcome.status === 'last-admin') {
        throw new ServiceError('last-admin', 'This would leave the service without an admin who can sign in.');
      }
      if (outcome.status === 'no-password') {
        throw new ServiceError(
          'user-has-no-password',
          'This user signs in through the identity provider and has no password.',
        );
      }
      noteAudit(request, describeChange(before, outcome.user, password !== null));
      return toUserBody(outcome.user);
    },
  });
}

/** The new password itself is never recorded. */
function describeChange(before: User | null, user: User, isPasswordSet: boolean): AuditNotes {
  const after = { ...toUserAuditMembers(user), ...(isPasswordSet ? { passwordSet: true } : {}) };
  const members = pickChangedMembers(before === null ? {} : toUserAuditMembers(before), after);
  return { targetName: toAuditName(user), ...members };
}

/** A stolen session must not suffice to take the account over: the caller's own password needs the current one. */
function rejectOwnPassword(request: FastifyRequest, userId: string): void {
  if (requireSession(request).user.id !== userId) return;
  throw new ServiceError(
    'permission-denied',
    'Change your own password with PUT /api/v1/session/password, which asks for the current one.',
  );
}

const endingText =
  'The user is not disabled, and can sign in again. Sessions end at once. Requests for widgets on other servers, and personal streams, follow within 2 seconds. After a 503, repeat the request: they then follow within a minute.';

/** `GET /api/v1/users/{id}/sessions`: the sessions of a user. */
export function listUserSessionsRoute({ users, manageSessions }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.listSessions',
      summary: "List a user's sessions",
      description: 'Returns one page of the sessions of a user that have not ended, the newest sign-in first.',
      params: idParamsSchema,
      querystring: pageQuerySchema,
      response: documentResponses(
        { 200: { body: activeSessionPageSchema, description: 'One page of sessions.' } },
        'not-found',
      ),
    },
    handler: async (request) => {
      const { params, query } = request;
      const { id: userId } = await requireById(users, params, 'user');
      return toPageBody(query, await manageSessions.list(userId, query), makeToActiveSessionBody(request));
    },
  });
}

/** `DELETE /api/v1/users/{id}/sessions`: ends every session of a user. */
export function endUserSessionsRoute({ users, manageSessions }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.endSessions',
      summary: "End all of a user's sessions",
      description: endingText,
      params: idParamsSchema,
      response: documentResponses({ 204: z.null().describe('The sessions have ended.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const user = await requireById(users, request.params, 'user');
      await manageSessions.endAll(user.id);
      noteAudit(request, { targetName: toAuditName(user), after: { sessions: 'all-ended' } });
      return reply.code(204).send();
    },
  });
}

/** `DELETE /api/v1/users/{id}/sessions/{sessionId}`: ends one session of a user. */
export function endUserSessionRoute({ users, manageSessions }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.endSession',
      summary: "End one of a user's sessions",
      description: endingText,
      params: z.object({ id: z.string(), sessionId: z.string() }),
      response: documentResponses({ 204: z.null().describe('The session has ended.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const { params } = request;
      const userId = requireId(params.id, 'user');
      const sessionId = parseUuid(params.sessionId);
      const user = await users.get(userId);
      noteAudit(request, { targetName: user === null ? null : toAuditName(user), before: { sessionId } });
      if (sessionId === null || !(await manageSessions.endById(userId, sessionId))) throw notFound('session');
      return reply.code(204).send();
    },
  });
}
