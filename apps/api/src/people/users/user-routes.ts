import { pickChangedMembers, toAuditName } from '@widget-service/shared/domain/audit-event.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { makeChangeUser, makeCreateUser } from '@widget-service/shared/usecases/access/manage-users.ts';
import { listCountedPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AuditNotes, noteAudit } from '../../audit/audit.ts';
import { requireSession } from '../../caller/policy.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { pageQuerySchema } from '../../schemas/page.ts';
import { toPageBody } from '../../schemas/page-body.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { toUserAuditMembers, toUserBody } from './user-body.ts';
import { newUserSchema, userChangesSchema, userPageSchema, userSchema } from './user-schema.ts';

const userParamsSchema = z.object({ id: z.string() });

/** `GET /api/v1/users`: one page of users, newest first. */
export function listUsersRoute({ users }: { readonly users: Pick<Collection<User>, 'list' | 'count'> }): Route {
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
export function createUserRoute({ createUser }: { readonly createUser: ReturnType<typeof makeCreateUser> }): Route {
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
      const outcome = await createUser(request.body);
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
export function getUserRoute({ users }: { readonly users: Pick<Collection<User>, 'get'> }): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.get',
      summary: 'Get a user',
      params: userParamsSchema,
      response: documentResponses({ 200: userSchema }, 'not-found'),
    },
    handler: async (request) => {
      const user = await users.get(requireUserId(request.params));
      if (user === null) throw unknownUserError();
      return toUserBody(user);
    },
  });
}

export interface ChangeUserRouteDeps {
  readonly users: Pick<Collection<User>, 'get'>;
  readonly changeUser: ReturnType<typeof makeChangeUser>;
}

/** `PATCH /api/v1/users/{id}`: changes a user's name, role or password, or disables or enables the user. */
export function changeUserRoute({ users, changeUser }: ChangeUserRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.update',
      summary: 'Change a user',
      description:
        'Members that are left out or null keep their value, except that a null `name` removes the name. Disabling a user or setting a password ends all sessions of that user. You cannot set your own password here: `PUT /api/v1/session/password` asks for the current one. A user who signs in through the identity provider has no password, and gets the role from the provider again at each sign-in.',
      params: userParamsSchema,
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
      const userId = requireUserId(request.params);
      if (password !== null) rejectOwnPassword(request, userId);
      // Another admin may change the user in between. Then the event shows both changes as this one.
      const before = await users.get(userId);
      const outcome = await changeUser(userId, { role, disabled, password, ...named });
      if (outcome.status === 'unknown') throw unknownUserError();
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

/** Returns the id in the path, in lower case. Throws `not-found` if it is not a UUID. */
export function requireUserId({ id }: z.output<typeof userParamsSchema>): string {
  const userId = parseUuid(id);
  if (userId === null) throw unknownUserError();
  return userId;
}

export function unknownUserError(): ServiceError {
  return new ServiceError('not-found', 'There is no such user.');
}
