import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { roles } from '@widget-service/shared/domain/role.ts';
import { pickChangedMembers, toAuditName } from '@widget-service/shared/entities/audit-event.ts';
import { findPasswordEnd, type User } from '@widget-service/shared/entities/user.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AuditNotes, noteAudit } from '../audit/audit.ts';
import { requireSession } from '../caller/enforce-policy.ts';
import { idParamsSchema, notFound, requireById, requireId } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { toBody } from '../schemas/body.ts';
import { pageQuerySchema, readPage, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { displayText, emailAddress, newPassword, shownUuid, timestamp } from '../schemas/text.ts';

const name = displayText(1, 200);

/** The body that creates a user. The default role is the one with the fewest permissions. */
const newUserSchema = z
  .strictObject({
    email: emailAddress,
    password: newPassword,
    name: name
      .nullish()
      .transform((value) => value ?? null)
      .meta({
        default: null,
        description:
          'A name for people: 1 to 200 characters after trimming, without control characters and invisible ones.',
      }),
    role: z
      .enum(roles)
      .nullish()
      .transform((value) => value ?? 'viewer')
      .meta({ default: 'viewer' }),
  })
  .meta({
    id: 'NewUser',
    description: 'A user to create.',
    examples: [{ email: 'kim@example.com', password: 'a password of their own', name: 'Kim Doe', role: 'editor' }],
  });

/** The body that changes a user. Missing members keep their value. So do null ones, but a null `name` removes it. */
const userChangesSchema = z
  .strictObject({
    name: name.nullable().exactOptional().meta({ description: 'Null removes the name.' }),
    role: z.enum(roles).nullish(),
    disabled: z.boolean().nullish(),
    password: newPassword.nullish(),
  })
  .meta({ id: 'UserChanges', examples: [{ role: 'admin' }] });

const identitySchema = z
  .object({
    issuer: z.string().meta({ format: 'uri', description: 'The issuer identifier of the identity provider.' }),
    subject: z.string().meta({ description: 'The `sub` of the user at this issuer.' }),
  })
  .meta({
    id: 'Identity',
    examples: [{ issuer: 'https://id.example.com/realms/main', subject: '24400320' }],
  });

export const userSchema = z
  .object({
    id: shownUuid,
    email: z.string(),
    name: z.string().nullable().describe('A name for people; null: none.'),
    role: z.enum(roles),
    disabled: z.boolean(),
    mustChangePassword: z.boolean().meta({
      description: 'An admin has set the password: until the user changes it, everything else gets 403.',
    }),
    passwordExpiresAt: timestamp.optional().meta({
      description:
        'When the password ends that an admin has set, unless the user signs in before: 7 days later. Left out: it has no end, because the user has chosen it or has none.',
    }),
    identity: identitySchema.nullable().meta({
      description: 'Who the user is at the identity provider. Null for a user who signs in with a password.',
    }),
    createdAt: timestamp,
    lastSignInAt: timestamp.nullable(),
  })
  .meta({
    id: 'User',
    description: 'A person who may sign in, unless `disabled`.',
    examples: [
      {
        id: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24',
        email: 'kim@example.com',
        name: 'Kim Doe',
        role: 'editor',
        disabled: false,
        mustChangePassword: true,
        passwordExpiresAt: '2026-02-08T08:00:00.000Z',
        identity: null,
        createdAt: '2026-02-01T08:00:00.000Z',
        lastSignInAt: null,
      },
    ],
  });
const userPageSchema = toPageSchema(userSchema);

/** Converts a user to the form that the API returns. It never contains the password hash. */
export function toUserBody(user: User): z.output<typeof userSchema> {
  const { identity = null } = user;
  return toBody(userSchema, { ...user, identity, passwordExpiresAt: findPasswordEnd(user) ?? undefined });
}

/** The members of a user that audit events show. */
export const toUserAuditMembers = ({ name, role, disabled }: User) => ({ name, role, disabled });

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
    handler: async ({ query }) => toPageBody(query, await readPage(users, {}, query), toUserBody),
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
