import { callerOf } from '../../auth/policy.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { sessionSchema } from '../../schemas/session.ts';
import { toSessionBody } from './session-body.ts';

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
      response: answers({ 200: sessionSchema }),
    },
    handler: async (request) => {
      const caller = callerOf(request);
      return toSessionBody(caller.sessionId, caller);
    },
  });
}
