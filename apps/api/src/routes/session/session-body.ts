import { permissionsOf } from '@widget-service/shared/domain/role.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { z } from 'zod';
import { csrfTokenOf } from '../../auth/csrf.ts';
import type { sessionSchema } from '../../schemas/session.ts';
import { toUserBody } from '../users/user-body.ts';

/** What a signed-in person is told: who they are, what they may do, and the token for `X-Csrf-Token`. */
export function toSessionBody(sessionId: string, { user, session }: SignedIn): z.output<typeof sessionSchema> {
  return {
    user: toUserBody(user),
    permissions: [...permissionsOf(user.role)],
    csrfToken: csrfTokenOf(sessionId),
    expiresAt: session.expiresAt.toISOString(),
  };
}
