import { permissionsForRole } from '@widget-service/shared/domain/role.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { z } from 'zod';
import { computeCsrfToken } from '../../caller/csrf.ts';
import { requireSession } from '../../caller/policy.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { toUserBody } from '../users/user-body.ts';
import { sessionSchema } from './session-schema.ts';

/** `GET /api/v1/session`: who is signed in. */
export function getSessionRoute(): Route {
  return defineRoute({
    schema: {
      operationId: 'example.session.get',
      summary: 'Get the session',
      description:
        'Returns who is signed in, and the `csrfToken` of the session. A page that was reloaded gets its `csrfToken` here.',
      response: documentResponses({ 200: sessionSchema }),
    },
    handler: async (request) => {
      const caller = requireSession(request);
      return toSessionBody(caller.sessionId, caller);
    },
  });
}

/** Builds the body that shows a session. `sign-in.ts` returns it, too. */
export function toSessionBody(sessionId: string, { user, session }: SignedIn): z.output<typeof sessionSchema> {
  return {
    user: toUserBody(user),
    permissions: [...permissionsForRole(user.role)],
    csrfToken: computeCsrfToken(sessionId),
    expiresAt: session.expiresAt.toISOString(),
  };
}
