import { permissionsOf } from '@widget-service/shared/domain/role.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { z } from 'zod';
import { csrfTokenOf } from '../../auth/csrf.ts';
import type { sessionSchema } from '../../schemas/session.ts';

/** What a signed-in person is told: who they are, what they may do, and the token for `X-Csrf-Token`. */
export function toSessionBody(sessionId: string, { user, session }: SignedIn): z.output<typeof sessionSchema> {
  const { id, email, role, disabled, createdAt, lastSignInAt } = user;
  return {
    user: {
      id,
      email,
      role,
      disabled,
      createdAt: createdAt.toISOString(),
      lastSignInAt: lastSignInAt?.toISOString() ?? null,
    },
    permissions: [...permissionsOf(role)],
    csrfToken: csrfTokenOf(sessionId),
    expiresAt: session.expiresAt.toISOString(),
  };
}
