import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { createLimitPasswordTries } from '@widget-service/shared/usecases/access/limit-password-tries.ts';
import type { createSignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import { sessionCookie } from '../../auth/session-cookie.ts';
import { limitedAddressOf, type TrustedProxies } from '../../http/client-address.ts';
import { rateLimited } from '../../http/rate-limit-headers.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { credentialsSchema, sessionSchema } from '../../schemas/session.ts';
import { toSessionBody } from './session-body.ts';

export interface SignInRouteDeps {
  readonly signIn: ReturnType<typeof createSignIn>;
  readonly limitPasswordTries: ReturnType<typeof createLimitPasswordTries>;
  readonly cookieSecure: boolean;
  readonly trustedProxies: TrustedProxies;
}

/** `POST /api/v1/session`: signs in. Cookies that are sent along are ignored. */
export function registerSignIn(app: ZodApp, deps: SignInRouteDeps): void {
  const { signIn, limitPasswordTries, cookieSecure, trustedProxies } = deps;
  app.post('/api/v1/session', {
    config: { policy: 'own-origin' },
    schema: {
      operationId: 'example.session.create',
      summary: 'Sign in',
      description:
        'Begins a new session and sets its cookie. Cookies that are sent along are ignored. Wrong credentials are refused alike, whatever is wrong with them; only failures count for the limit.',
      security: [],
      body: credentialsSchema,
      response: answers(
        { 200: { body: sessionSchema, headers: ['Set-Cookie'] } },
        'invalid-credentials',
        'rate-limited',
        'unavailable',
      ),
    },
    handler: async (request, reply) => {
      const { email } = request.body;
      const address = limitedAddressOf(request, trustedProxies);
      const outcome = await limitPasswordTries({ email, address }, () => signIn(request.body));
      if (outcome.status === 'rate-limited') throw rateLimited(reply, 'sign-in', outcome);
      if (outcome.status === 'refused') throw new ServiceError('invalid-credentials', 'E-mail or password is wrong.');
      return reply
        .header('set-cookie', sessionCookie(outcome.sessionId, cookieSecure))
        .send(toSessionBody(outcome.sessionId, outcome));
    },
  });
}
