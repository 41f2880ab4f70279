import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { makeChangeOwnPassword } from '@widget-service/shared/usecases/access/change-own-password.ts';
import { formatDeviceCookie, readDeviceCookie } from '../../auth/device-cookie.ts';
import { requireSession } from '../../auth/policy.ts';
import { type TrustedProxies, toAttemptSource } from '../../http/forwarding.ts';
import type { ZodApp } from '../../http/zod-validation.ts';
import { toRateLimitedError } from '../../limits/rate-limit-headers.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { passwordChangeSchema } from '../../schemas/session.ts';
import { passwordSignInDisabledError } from './sign-in.ts';

export interface ChangePasswordRouteDeps {
  readonly changeOwnPassword: ReturnType<typeof makeChangeOwnPassword>;
  readonly clock: Pick<Clock, 'now'>;
  readonly cookieSecure: boolean;
  readonly trustedProxies: TrustedProxies;
  readonly passwordSignInEnabled: boolean;
}

const noPasswordText = 'You sign in through the identity provider. Change your password there.';

/** `PUT /api/v1/session/password`: changes the caller's own password, and ends the caller's other sessions. */
export function registerChangePassword(
  app: ZodApp,
  { changeOwnPassword, clock, cookieSecure, trustedProxies, passwordSignInEnabled }: ChangePasswordRouteDeps,
): void {
  app.put('/api/v1/session/password', {
    config: {
      policy: 'signed-in',
      servesBeforePasswordChange: true,
      audit: { action: 'password.changed', target: { kind: 'user', id: 'caller' } },
    },
    schema: {
      operationId: 'example.session.changePassword',
      summary: 'Change your own password',
      description:
        'Ends all other sessions of the user. After a 503, send the same request again: if the new password is already stored, the service ends the other sessions and returns 204. To recognise such a repeated request, the service tries the new password when the current one is wrong. So a wrong current password counts as two failed sign-ins. The rate limit of signing in applies, so that nobody can guess passwords in a session that was left open.',
      body: passwordChangeSchema,
      response: documentResponses(
        { 204: { description: 'The password is changed.', body: null, headers: ['Set-Cookie'] } },
        'invalid-credentials',
        'weak-password',
        'password-sign-in-disabled',
        'user-has-no-password',
        'rate-limited',
      ),
    },
    handler: async (request, reply) => {
      if (!passwordSignInEnabled) throw passwordSignInDisabledError();
      const { user, session } = requireSession(request);
      const source = toAttemptSource(request, trustedProxies);
      const knownAs = readDeviceCookie(request.headers.cookie, cookieSecure);
      const outcome = await changeOwnPassword({ user, session, source, deviceCookie: knownAs, ...request.body });
      if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
      if (outcome.status === 'no-password') throw new ServiceError('user-has-no-password', noPasswordText);
      if (outcome.status === 'refused') throw new ServiceError('invalid-credentials', 'The current password is wrong.');
      if (outcome.status === 'weak') throw new ServiceError('weak-password', outcome.detail);
      const { passwordHash } = outcome;
      const deviceCookie = formatDeviceCookie(
        { id: user.id, passwordHash },
        { now: clock.now(), isSecure: cookieSecure },
      );
      return reply.code(204).header('set-cookie', deviceCookie).send();
    },
  });
}
