import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { makeSignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import type { makeLimitPasswordAttempts } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { formatSessionCookie } from '../../auth/session-cookie.ts';
import { type TrustedProxies, toLimitedAddress } from '../../http/forwarding.ts';
import type { ZodApp } from '../../http/zod-validation.ts';
import { toRateLimitedError } from '../../limits/rate-limit-headers.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { credentialsSchema, sessionSchema } from '../../schemas/session.ts';
import { toSessionBody } from './show-session.ts';

export interface SignInRouteDeps {
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly limitPasswordTries: ReturnType<typeof makeLimitPasswordAttempts>;
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
      response: documentResponses(
        { 200: { body: sessionSchema, headers: ['Set-Cookie'] } },
        'invalid-credentials',
        'rate-limited',
        'unavailable',
      ),
    },
    handler: async (request, reply) => {
      const { email } = request.body;
      const address = toLimitedAddress(request, trustedProxies);
      const outcome = await limitPasswordTries({ email, address }, () => signIn(request.body));
      if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
      if (outcome.status === 'refused') throw new ServiceError('invalid-credentials', 'E-mail or password is wrong.');
      return reply
        .header('set-cookie', formatSessionCookie(outcome.sessionId, cookieSecure))
        .send(toSessionBody(outcome.sessionId, outcome));
    },
  });
}
