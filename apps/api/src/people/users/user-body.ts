import { findPasswordEnd, type User } from '@widget-service/shared/entities/user.ts';
import type { UserBody } from './user-schema.ts';

/** Converts a user to the form that the API returns. It never contains the password hash. */
export function toUserBody(user: User): UserBody {
  const { id, email, name, role, disabled, mustChangePassword, identity, createdAt, lastSignInAt } = user;
  const passwordEnd = findPasswordEnd(user);
  return {
    id,
    email,
    name,
    role,
    disabled,
    mustChangePassword,
    ...(passwordEnd === null ? {} : { passwordExpiresAt: passwordEnd.toISOString() }),
    identity: identity ?? null,
    createdAt: createdAt.toISOString(),
    lastSignInAt: lastSignInAt?.toISOString() ?? null,
  };
}

/** The members of a user that audit events show. */
export const toUserAuditMembers = ({ name, role, disabled }: User) => ({ name, role, disabled });
