import type { User } from '@widget-service/shared/ports/user-store.ts';
import type { UserBody } from '../../schemas/user.ts';

/** Converts a user to the form that the API returns. It never contains the password hash. */
export function toUserBody({ id, email, role, disabled, createdAt, lastSignInAt }: User): UserBody {
  return {
    id,
    email,
    role,
    disabled,
    createdAt: createdAt.toISOString(),
    lastSignInAt: lastSignInAt?.toISOString() ?? null,
  };
}
