import { toAuditName } from '@widget-service/shared/domain/audit-event.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { makeEndReplacedSession } from '@widget-service/shared/usecases/access/sessions.ts';
import type { makeSignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import type { makeLimitSignInAttempts } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { noteAudit } from '../../audit/audit.ts';
import { parseSessionId } from '../../caller/cookies.ts';
import { toRateLimitedError } from '../../caller/limits/rate-limit-headers.ts';
import { type TrustedProxies, toAttemptSource } from '../../http/forwarding.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { readSessionOrigin, sendNewSession } from './new-session.ts';
import { credentialsSchema, sessionSchema } from './session-schema.ts';

export interface SignInRouteDeps {
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly endReplacedSession: ReturnType<typeof makeEndReplacedSession>;
  readonly limitSignInAttempts: ReturnType<typeof makeLimitSignInAttempts>;
  readonly cookieSecure: boolean;
  readonly trustedProxies: TrustedProxies;
  readonly passwordSignInEnabled: boolean;
}

/** The error of every route that verifies a password, once the operator has switched passwords off. */
export function passwordSignInDisabledError(): ServiceError {
  return new ServiceError(
    'password-sign-in-disabled',
    'This service has no sign-in by password. Sign in through the identity provider.',
  );
}

/**
 * `POST /api/v1/session`: signs in. The session cookies of the request do not matter, except that the session of a
 * single valid one ends: the browser replaces that cookie.
 */
export function signInRoute(deps: SignInRouteDeps): Route {
  const { signIn, endReplacedSession, limitSignInAttempts, cookieSecure: isSecure, trustedProxies } = deps;
  return defineRoute({
    schema: {
      operationId: 'example.session.create',
      summary: 'Sign in',
      description:
        'Starts a new session and sets its cookie. If the request has the cookie of another session, that session ends. The response is the same for an unknown e-mail address, a wrong password and a disabled user. Failed attempts count towards the rate limit; those that succeed have a generous one per user.',
      body: credentialsSchema,
      response: documentResponses(
        { 200: { body: sessionSchema, headers: ['Set-Cookie'] } },
        'invalid-credentials',
        'password-sign-in-disabled',
        'rate-limited',
        'unavailable',
      ),
    },
    handler: async (request, reply) => {
      if (!deps.passwordSignInEnabled) throw passwordSignInDisabledError();
      const { email } = request.body;
      noteAudit(request, { email });
      const source = toAttemptSource(request, trustedProxies);
      const readOrigin = () => readSessionOrigin(request, trustedProxies);
      const attempt = { ...request.body, address: source.address, readOrigin };
      const outcome = await limitSignInAttempts({ email, source }, () => signIn(attempt));
      if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
      if (outcome.status === 'refused') {
        noteAudit(request, { targetId: outcome.userId });
        throw new ServiceError('invalid-credentials', 'E-mail or password is wrong.');
      }
      const { id } = outcome.user;
      const after = { sessionId: outcome.session.id };
      const name = toAuditName(outcome.user);
      noteAudit(request, { actor: { kind: 'user', id }, actorName: name, targetId: id, targetName: name, after });
      const replaced = parseSessionId(request.headers.cookie);
      if (replaced !== null) await endReplacedSession(replaced);
      return sendNewSession(reply, outcome, isSecure);
    },
  });
}
