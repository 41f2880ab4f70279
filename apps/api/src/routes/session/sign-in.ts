import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { createSignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import { sessionCookie } from '../../auth/session-cookie.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { credentialsSchema, sessionSchema } from '../../schemas/session.ts';
import { toSessionBody } from './session-body.ts';

export interface SignInRouteDeps {
  readonly signIn: ReturnType<typeof createSignIn>;
  readonly cookieSecure: boolean;
}

/** `POST /api/v1/session`: signs in. Cookies that are sent along are ignored. */
export function registerSignIn(app: ZodApp, { signIn, cookieSecure }: SignInRouteDeps): void {
  app.post('/api/v1/session', {
    config: { policy: 'own-origin' },
    schema: {
      operationId: 'example.session.create',
      summary: 'Sign in',
      security: [],
      body: credentialsSchema,
      response: answers({ 200: sessionSchema }, 400, 403, 429, 503),
    },
    handler: async (request, reply) => {
      const outcome = await signIn(request.body);
      if (outcome.status === 'refused') throw new ServiceError('invalid-credentials', 'E-mail or password is wrong.');
      return reply
        .header('set-cookie', sessionCookie(outcome.sessionId, cookieSecure))
        .send(toSessionBody(outcome.sessionId, outcome));
    },
  });
}
