import type { User } from '@widget-service/shared/ports/user-store.ts';
import type { UserBody } from '../../schemas/user.ts';

/** A user in the form that is returned. */
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
