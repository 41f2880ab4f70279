import type { createEndSession } from '@widget-service/shared/usecases/access/end-sessions.ts';
import { callerOf } from '../../auth/policy.ts';
import { clearedSessionCookie } from '../../auth/session-cookie.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';

export interface SignOutRouteDeps {
  readonly endSession: ReturnType<typeof createEndSession>;
  readonly cookieSecure: boolean;
}

/** `DELETE /api/v1/session`: signs out. */
export function registerSignOut(app: ZodApp, { endSession, cookieSecure }: SignOutRouteDeps): void {
  app.delete('/api/v1/session', {
    config: { policy: 'signed-in' },
    schema: {
      operationId: 'example.session.delete',
      summary: 'Sign out',
      description: 'Ends the session, and clears its cookie.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      response: answers({ 204: { description: 'Signed out.', body: null, headers: ['Set-Cookie'] } }),
    },
    handler: async (request, reply) => {
      await endSession(callerOf(request).session);
      return reply.code(204).header('set-cookie', clearedSessionCookie(cookieSecure)).send();
    },
  });
}
