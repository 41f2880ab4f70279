import { z } from 'zod';
import { roles } from '../domain/role.ts';
import { createUuidV7 } from '../domain/uuid.ts';
import { defineEntity, type EntityOf, storedTime, storedUuid } from './define-entity.ts';

/** Who a user is at an identity provider, as OpenID Connect names people: a subject is unique only at its issuer. */
const externalIdentity = z.object({ issuer: z.string(), subject: z.string() });

/** A person who can sign in, with a password or with an identity at a provider. */
export const userEntity = defineEntity({
  name: 'users',
  key: 'id',
  documentId: 'email',
  namedBy: 'id',
  order: ['createdAt', 'id'],
  unique: { email: ['email'], identity: ['identity.subject', 'identity.issuer'] },
  members: z.object({
    id: storedUuid,
    /** Lower-case. */
    email: z.string(),
    /** A name for people; null: none. */
    name: z.string().nullable(),
    role: z.enum(roles),
    disabled: z.boolean(),
    /** PHC string format: `$argon2id$…`. Null for a user with an `identity`, who signs in at the identity provider. */
    passwordHash: z.string().nullable(),
    /** An admin has set the password. Until the user changes it, their sessions may do nothing else. */
    mustChangePassword: z.boolean(),
    /** When the password ends that an admin has set. Read it with `findPasswordEnd`. Absent: never. */
    passwordExpiresAt: storedTime.optional(),
    /** Absent for a user who signs in with a password. No two users have the same identity. */
    identity: externalIdentity.optional(),
    createdAt: storedTime,
    lastSignInAt: storedTime.nullable(),
  }),
});

export type User = EntityOf<typeof userEntity>;
export type ExternalIdentity = z.output<typeof externalIdentity>;

/** Builds a new user. What is left out has its default: no name, and neither a password nor an identity. */
export function buildUser(chosen: Pick<User, 'email' | 'role' | 'createdAt'> & Partial<User>): User {
  return {
    id: createUuidV7(),
    name: null,
    disabled: false,
    passwordHash: null,
    mustChangePassword: false,
    lastSignInAt: null,
    ...chosen,
    email: chosen.email.toLowerCase(),
  };
}

/** Selects the user with this identity. */
export function whereIdentityIs({ issuer, subject }: ExternalIdentity) {
  return { 'identity.subject': subject, 'identity.issuer': issuer };
}

/** Whether the user is an enabled admin. Once there is one, at least one stays: see `updateUser`. */
export function isEnabledAdmin(user: Pick<User, 'role' | 'disabled'>): boolean {
  return user.role === 'admin' && !user.disabled;
}

/** Returns when the password of a user ends. Null: never, because the user has chosen it or has none. */
export function findPasswordEnd({ mustChangePassword, passwordExpiresAt }: User): Date | null {
  return mustChangePassword ? (passwordExpiresAt ?? null) : null;
}
