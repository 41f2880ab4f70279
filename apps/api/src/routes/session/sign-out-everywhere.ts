import type { createEndAllSessions } from '@widget-service/shared/usecases/access/end-sessions.ts';
import { callerOf } from '../../auth/policy.ts';
import { clearedSessionCookie } from '../../auth/session-cookie.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';

export interface SignOutEverywhereRouteDeps {
  readonly endAllSessions: ReturnType<typeof createEndAllSessions>;
  readonly cookieSecure: boolean;
}

/** `DELETE /api/v1/sessions`: ends every session of the person who asks, this one included. */
export function registerSignOutEverywhere(app: ZodApp, deps: SignOutEverywhereRouteDeps): void {
  app.delete('/api/v1/sessions', {
    config: { policy: 'signed-in' },
    schema: {
      operationId: 'example.sessions.delete',
      summary: 'Sign out everywhere',
      description: 'Ends all sessions of the user, this one too.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      response: answers({ 204: { description: 'Signed out everywhere.', body: null, headers: ['Set-Cookie'] } }),
    },
    handler: async (request, reply) => {
      await deps.endAllSessions(callerOf(request).user.id);
      return reply.code(204).header('set-cookie', clearedSessionCookie(deps.cookieSecure)).send();
    },
  });
}
