import type { makeEndAllSessions, makeEndSession } from '@widget-service/shared/usecases/access/sessions.ts';
import { noteAudit } from '../../audit/audit.ts';
import { formatClearedSessionCookie } from '../../caller/cookies.ts';
import { requireSession } from '../../caller/policy.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { signOutHeaders } from '../../http/security-headers.ts';
import { documentResponses } from '../../schemas/problem.ts';

export interface SignOutRouteDeps {
  readonly endSession: ReturnType<typeof makeEndSession>;
  readonly cookieSecure: boolean;
}

/** `DELETE /api/v1/session`: signs out. */
export function signOutRoute({ endSession, cookieSecure }: SignOutRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.session.delete',
      summary: 'Sign out',
      description: 'Ends the session and clears its cookie.',
      response: documentResponses({ 204: { description: 'Signed out.', body: null, headers: ['Set-Cookie'] } }),
    },
    handler: async (request, reply) => {
      const { session } = requireSession(request);
      noteAudit(request, { before: { sessionId: session.id } });
      await endSession(session);
      return reply
        .code(204)
        .headers({ ...signOutHeaders, 'set-cookie': formatClearedSessionCookie(cookieSecure) })
        .send();
    },
  });
}

export interface SignOutEverywhereRouteDeps {
  readonly endAllSessions: ReturnType<typeof makeEndAllSessions>;
  readonly cookieSecure: boolean;
}

/** `DELETE /api/v1/sessions`: ends every session of the caller, including this one. */
export function signOutEverywhereRoute(deps: SignOutEverywhereRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.sessions.delete',
      summary: 'Sign out everywhere',
      description: 'Ends all sessions of the user, including this one.',
      response: documentResponses({
        204: { description: 'Signed out everywhere.', body: null, headers: ['Set-Cookie'] },
      }),
    },
    handler: async (request, reply) => {
      await deps.endAllSessions(requireSession(request).user.id);
      noteAudit(request, { after: { sessions: 'all-ended' } });
      return reply
        .code(204)
        .headers({ ...signOutHeaders, 'set-cookie': formatClearedSessionCookie(deps.cookieSecure) })
        .send();
    },
  });
}
