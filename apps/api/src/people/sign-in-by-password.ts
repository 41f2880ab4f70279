import { describeDevice } from '@widget-service/shared/domain/device.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { type AuditMembers, toAuditName } from '@widget-service/shared/entities/audit-event.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type {
  ManageSessions,
  SessionOrigin,
  SignedIn,
  StartedSession,
} from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { formatSessionCookie, parseSessionId } from '../caller/cookies.ts';
import { requireSession } from '../caller/enforce-policy.ts';
import { toRateLimitedError } from '../caller/limits/rate-limits.ts';
import { type TrustedProxies, toAttemptSource, toShownAddress } from '../http/forwarding.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { documentResponses } from '../schemas/problem.ts';
import { newPassword } from '../schemas/text.ts';
import { sessionSchema, toSessionBody } from './sessions.ts';

/** The body of a sign-in. Its strings have no format: a malformed e-mail or password is just a wrong one. */
const credentialsSchema = z
  .strictObject({ email: z.string(), password: z.string() })
  .meta({ id: 'Credentials', examples: [{ email: 'kim@example.com', password: 'a password of their own' }] });

/** `currentPassword` has no format: a malformed one is just a wrong one. */
const passwordChangeSchema = z.strictObject({ currentPassword: z.string(), newPassword }).meta({
  id: 'PasswordChange',
  examples: [{ currentPassword: 'a password of their own', newPassword: 'another one of their own' }],
});

/** Throws on every route that verifies a password, once the operator has switched passwords off. */
function requirePasswords({ settings }: RouteDeps): void {
  if (settings.PASSWORD_SIGN_IN_ENABLED) return;
  const text = 'This service has no sign-in by password. Sign in through the identity provider.';
  throw new ServiceError('password-sign-in-disabled', text);
}

/**
 * `POST /api/v1/session`: signs in. The session cookies of the request do not matter, except that the session of a
 * single valid one ends: the browser replaces that cookie.
 */
export function signInRoute(deps: RouteDeps): Route {
  const { signIn, manageSessions, settings } = deps;
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
      requirePasswords(deps);
      noteAudit(request, { email: request.body.email });
      const outcome = await signIn.byPassword({ ...request.body, ...toOrigin(request, settings.TRUSTED_PROXIES) });
      if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
      if (outcome.status === 'refused') {
        noteAudit(request, { targetId: outcome.userId });
        throw new ServiceError('invalid-credentials', 'E-mail or password is wrong.');
      }
      noteSignIn(request, outcome.user, { sessionId: outcome.session.id });
      await endReplacedSession(request, manageSessions);
      return sendNewSession(reply, outcome, deps.settings.COOKIE_SECURE);
    },
  });
}

const noPasswordText = 'You sign in through the identity provider. Change your password there.';

/** `PUT /api/v1/session/password`: changes the caller's password, and replaces the caller's sessions by a new one. */
export function changePasswordRoute(deps: RouteDeps): Route {
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
      requirePasswords(deps);
      const caller = requireSession(request);
      const change = { ...caller, ...toOrigin(request, deps.settings.TRUSTED_PROXIES), ...request.body };
      const outcome = await deps.signIn.changePassword(change);
      if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
      if (outcome.status === 'no-password') throw new ServiceError('user-has-no-password', noPasswordText);
      if (outcome.status === 'refused') throw new ServiceError('invalid-credentials', 'The current password is wrong.');
      if (outcome.status === 'weak') throw new ServiceError('weak-password', outcome.detail);
      noteAudit(request, { before: { sessionId: caller.session.id }, after: { sessionId: outcome.session.id } });
      return sendNewSession(reply, outcome, deps.settings.COOKIE_SECURE);
    },
  });
}

/** Sends the session that a password has started: the session cookie, and the body with the CSRF token. */
function sendNewSession(reply: FastifyReply, started: SignedIn & StartedSession, isSecure: boolean): FastifyReply {
  return reply
    .header('set-cookie', formatSessionCookie(started.sessionId, isSecure))
    .send(toSessionBody(started.sessionId, started));
}

/** Returns where a request that signs somebody in comes from. The session stores it, for people to recognise. */
export function toOrigin(request: FastifyRequest, trustedProxies: TrustedProxies) {
  const readOrigin = (): SessionOrigin => ({
    device: describeDevice(request.headers['user-agent']),
    address: toShownAddress(request, trustedProxies),
  });
  return { source: toAttemptSource(request, trustedProxies), readOrigin };
}

/** Notes who has signed in, and with which session. */
export function noteSignIn(request: FastifyRequest, user: User, after: AuditMembers): void {
  const { id } = user;
  const name = toAuditName(user);
  noteAudit(request, { actor: { kind: 'user', id }, actorName: name, targetId: id, targetName: name, after });
}

/** Ends the session whose cookie the browser replaces by that of a new one. */
export async function endReplacedSession(
  { headers }: FastifyRequest,
  sessions: Pick<ManageSessions, 'endReplaced'>,
): Promise<void> {
  const replaced = parseSessionId(headers.cookie);
  if (replaced !== null) await sessions.endReplaced(replaced);
}
