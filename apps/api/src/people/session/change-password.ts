import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { makeChangeOwnPassword } from '@widget-service/shared/usecases/access/change-own-password.ts';
import { noteAudit } from '../../audit/audit.ts';
import { toRateLimitedError } from '../../caller/limits/rate-limit-headers.ts';
import { requireSession } from '../../caller/policy.ts';
import { type TrustedProxies, toAttemptSource } from '../../http/forwarding.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { readSessionOrigin, sendNewSession } from './new-session.ts';
import { passwordChangeSchema, sessionSchema } from './session-schema.ts';
import { passwordSignInDisabledError } from './sign-in.ts';

export interface ChangePasswordRouteDeps {
  readonly changeOwnPassword: ReturnType<typeof makeChangeOwnPassword>;
  readonly cookieSecure: boolean;
  readonly trustedProxies: TrustedProxies;
  readonly passwordSignInEnabled: boolean;
}

const noPasswordText = 'You sign in through the identity provider. Change your password there.';

/** `PUT /api/v1/session/password`: changes the caller's password, and replaces the caller's sessions by a new one. */
export function changePasswordRoute({
  changeOwnPassword,
  cookieSecure: isSecure,
  trustedProxies,
  passwordSignInEnabled,
}: ChangePasswordRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.session.changePassword',
      summary: 'Change your own password',
      description:
        'Ends all sessions of the user, and starts a new one: the response sets its cookie, and is the same as that of a sign-in. The streams of the ended sessions close within 2 seconds. After a 503, send the same request again, with the same cookie: if the new password is already stored, the service only replaces the sessions. If no response arrives at all, sign in with the new password. To recognise such a repeated request, the service tries the new password when the current one is wrong. So a wrong current password counts as two failed sign-ins. The rate limit of signing in applies, so that nobody can guess passwords in a session that was left open.',
      body: passwordChangeSchema,
      response: documentResponses(
        { 200: { body: sessionSchema, description: 'The password is changed.', headers: ['Set-Cookie'] } },
        'invalid-credentials',
        'weak-password',
        'password-sign-in-disabled',
        'user-has-no-password',
        'rate-limited',
      ),
    },
    handler: async (request, reply) => {
      if (!passwordSignInEnabled) throw passwordSignInDisabledError();
      const { user, session, sessionId } = requireSession(request);
      const source = toAttemptSource(request, trustedProxies);
      const outcome = await changeOwnPassword({
        user,
        session,
        sessionId,
        source,
        readOrigin: () => readSessionOrigin(request, trustedProxies),
        ...request.body,
      });
      if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
      if (outcome.status === 'no-password') throw new ServiceError('user-has-no-password', noPasswordText);
      if (outcome.status === 'refused') throw new ServiceError('invalid-credentials', 'The current password is wrong.');
      if (outcome.status === 'weak') throw new ServiceError('weak-password', outcome.detail);
      noteAudit(request, { before: { sessionId: session.id }, after: { sessionId: outcome.session.id } });
      return sendNewSession(reply, outcome, isSecure);
    },
  });
}
