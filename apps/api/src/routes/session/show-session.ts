import { permissionsForRole } from '@widget-service/shared/domain/role.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { z } from 'zod';
import { computeCsrfToken } from '../../auth/csrf.ts';
import { requireSession } from '../../auth/policy.ts';
import type { ZodApp } from '../../http/zod-validation.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { sessionSchema } from '../../schemas/session.ts';
import { toUserBody } from '../users/user-body.ts';

/** `GET /api/v1/session`: who is signed in. */
export function registerShowSession(app: ZodApp): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/session',
    config: { policy: 'signed-in' },
    schema: {
      operationId: 'example.session.get',
      summary: 'Show the session',
      description:
        'Who is signed in, with the `csrfToken` of the session: a page that was reloaded finds it here again.',
      security: [{ sessionCookie: [] }],
      response: documentResponses({ 200: sessionSchema }),
    },
    handler: async (request) => {
      const caller = requireSession(request);
      return toSessionBody(caller.sessionId, caller);
    },
  });
}

/** What a signed-in person is told: who they are, what they may do, and the token for `X-Csrf-Token`. */
export function toSessionBody(sessionId: string, { user, session }: SignedIn): z.output<typeof sessionSchema> {
  return {
    user: toUserBody(user),
    permissions: [...permissionsForRole(user.role)],
    csrfToken: computeCsrfToken(sessionId),
    expiresAt: session.expiresAt.toISOString(),
  };
}
