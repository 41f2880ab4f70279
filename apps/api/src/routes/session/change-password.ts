import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { makeChangeOwnPassword } from '@widget-service/shared/usecases/access/change-own-password.ts';
import { z } from 'zod';
import { requireSession } from '../../auth/policy.ts';
import { type TrustedProxies, toLimitedAddress } from '../../http/forwarding.ts';
import type { ZodApp } from '../../http/zod-validation.ts';
import { toRateLimitedError } from '../../limits/rate-limit-headers.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { passwordChangeSchema } from '../../schemas/session.ts';

export interface ChangePasswordRouteDeps {
  readonly changeOwnPassword: ReturnType<typeof makeChangeOwnPassword>;
  readonly trustedProxies: TrustedProxies;
}

/** `PUT /api/v1/session/password`: gives oneself a new password, and ends one's other sessions. */
export function registerChangePassword(
  app: ZodApp,
  { changeOwnPassword, trustedProxies }: ChangePasswordRouteDeps,
): void {
  app.put('/api/v1/session/password', {
    config: { policy: 'signed-in' },
    schema: {
      operationId: 'example.session.changePassword',
      summary: "Change one's own password",
      description:
        'All other sessions of the user end. A wrong current password counts as a failure to sign in, for the same limit: a session that was left open must not be a place to guess. After a 503 the same request may be sent again: if the new password counts by then, the other sessions are ended and the answer is 204. For that the new password is tried as well where the current one is wrong, which is a second failure.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      body: passwordChangeSchema,
      response: documentResponses(
        { 204: z.null().describe('The password is changed.') },
        'invalid-credentials',
        'rate-limited',
      ),
    },
    handler: async (request, reply) => {
      const { user, session } = requireSession(request);
      const address = toLimitedAddress(request, trustedProxies);
      const outcome = await changeOwnPassword({ user, session, address, ...request.body });
      if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
      if (outcome.status === 'refused') throw new ServiceError('invalid-credentials', 'The current password is wrong.');
      return reply.code(204).send();
    },
  });
}
