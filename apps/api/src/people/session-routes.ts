import { toAuditName } from '@widget-service/shared/domain/audit-event.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { makeChangeOwnPassword } from '@widget-service/shared/usecases/access/change-own-password.ts';
import type { ManageSessions, SignedIn, StartedSession } from '@widget-service/shared/usecases/access/sessions.ts';
import type { makeSignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import type { makeLimitSignInAttempts } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { formatClearedSessionCookie, formatSessionCookie, parseSessionId } from '../caller/cookies.ts';
import { toRateLimitedError } from '../caller/limits/rate-limit-headers.ts';
import { requireSession } from '../caller/policy.ts';
import { type TrustedProxies, toAttemptSource } from '../http/forwarding.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { signOutHeaders } from '../http/security-headers.ts';
import { pageQuerySchema } from '../schemas/page.ts';
import { toPageBody } from '../schemas/page-body.ts';
import { documentResponses } from '../schemas/problem.ts';
import {
  activeSessionPageSchema,
  credentialsSchema,
  makeToActiveSessionBody,
  passwordChangeSchema,
  readSessionOrigin,
  sessionSchema,
  toSessionBody,
  unknownSessionError,
} from './session-schema.ts';

export interface SessionRouteDeps {
  readonly signIn: ReturnType<typeof makeSignIn>;
  readonly limitSignInAttempts: ReturnType<typeof makeLimitSignInAttempts>;
  readonly changeOwnPassword: ReturnType<typeof makeChangeOwnPassword>;
  readonly manageSessions: Pick<ManageSessions, 'list' | 'end' | 'endById' | 'endAll' | 'endReplaced'>;
  readonly cookieSecure: boolean;
  readonly trustedProxies: TrustedProxies;
  readonly passwordSignInEnabled: boolean;
}

/** The error of every route that verifies a password, once the operator has switched passwords off. */
function passwordSignInDisabledError(): ServiceError {
  return new ServiceError(
    'password-sign-in-disabled',
    'This service has no sign-in by password. Sign in through the identity provider.',
  );
}

/**
 * `POST /api/v1/session`: signs in. The session cookies of the request do not matter, except that the session of a
 * single valid one ends: the browser replaces that cookie.
 */
export function signInRoute(deps: SessionRouteDeps): Route {
  const { signIn, manageSessions, limitSignInAttempts, cookieSecure: isSecure, trustedProxies } = deps;
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
      if (replaced !== null) await manageSessions.endReplaced(replaced);
      return sendNewSession(reply, outcome, isSecure);
    },
  });
}

/** `GET /api/v1/session`: who is signed in. */
export function getSessionRoute(): Route {
  return defineRoute({
    schema: {
      operationId: 'example.session.get',
      summary: 'Get the session',
      description:
        'Returns who is signed in, and the `csrfToken` of the session. A page that was reloaded gets its `csrfToken` here.',
      response: documentResponses({ 200: sessionSchema }),
    },
    handler: async (request) => {
      const caller = requireSession(request);
      return toSessionBody(caller.sessionId, caller);
    },
  });
}

/** `DELETE /api/v1/session`: signs out. */
export function signOutRoute({ manageSessions, cookieSecure }: SessionRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.session.delete',
      summary: 'Sign out',
      description: 'Ends the session and clears its cookie.',
      response: documentResponses({ 204: { description: 'Signed out.', body: null, headers: ['Set-Cookie'] } }),
    },
    handler: async (request, reply) => {
      const { session } = requireSession(request);
      noteAudit(request, { before: { sessionId: session.id } });
      await manageSessions.end(session);
      return reply.code(204).headers(clearSession(cookieSecure)).send();
    },
  });
}

/** `DELETE /api/v1/sessions`: ends every session of the caller, including this one. */
export function signOutEverywhereRoute({ manageSessions, cookieSecure }: SessionRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.sessions.delete',
      summary: 'Sign out everywhere',
      description: 'Ends all sessions of the user, including this one.',
      response: documentResponses({
        204: { description: 'Signed out everywhere.', body: null, headers: ['Set-Cookie'] },
      }),
    },
    handler: async (request, reply) => {
      await manageSessions.endAll(requireSession(request).user.id);
      noteAudit(request, { after: { sessions: 'all-ended' } });
      return reply.code(204).headers(clearSession(cookieSecure)).send();
    },
  });
}

/** `GET /api/v1/sessions`: the caller's sessions. */
export function listOwnSessionsRoute({ manageSessions }: SessionRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.sessions.list',
      summary: 'List your sessions',
      description:
        'Returns one page of your sessions that have not ended, the newest sign-in first. `current` marks the session of this request.',
      querystring: pageQuerySchema,
      response: documentResponses({ 200: { body: activeSessionPageSchema, description: 'One page of sessions.' } }),
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await manageSessions.list(requireSession(request).user.id, query);
      return toPageBody(query, rows, makeToActiveSessionBody(request));
    },
  });
}

/** `DELETE /api/v1/sessions/{id}`: ends one session of the caller. */
export function endOwnSessionRoute({ manageSessions, cookieSecure }: SessionRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.sessions.end',
      summary: 'End one of your sessions',
      description:
        'The session ends on every server at once, and its personal streams close within 2 seconds. After a 503, repeat the request until you get 204 or 404; the streams then close within a minute. If it is the session of this request, the response also clears its cookie.',
      params: z.object({ id: z.string() }),
      response: documentResponses(
        { 204: { description: 'The session has ended.', body: null, optionalHeaders: ['Set-Cookie'] } },
        'not-found',
      ),
    },
    handler: async (request, reply) => {
      const { user, session } = requireSession(request);
      const id = parseUuid(request.params.id);
      noteAudit(request, { before: { sessionId: id } });
      if (id === null || !(await manageSessions.endById(user.id, id))) throw unknownSessionError();
      if (id === session.id) reply.headers(clearSession(cookieSecure));
      return reply.code(204).send();
    },
  });
}

const noPasswordText = 'You sign in through the identity provider. Change your password there.';

/** `PUT /api/v1/session/password`: changes the caller's password, and replaces the caller's sessions by a new one. */
export function changePasswordRoute({
  changeOwnPassword,
  cookieSecure: isSecure,
  trustedProxies,
  passwordSignInEnabled,
}: SessionRouteDeps): Route {
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

/** Sends the session that a password has started: the session cookie, and the body with the CSRF token. */
function sendNewSession(reply: FastifyReply, started: SignedIn & StartedSession, isSecure: boolean): FastifyReply {
  return reply
    .header('set-cookie', formatSessionCookie(started.sessionId, isSecure))
    .send(toSessionBody(started.sessionId, started));
}

/** The headers of the response that ends the session of a browser. */
function clearSession(isSecure: boolean) {
  return { ...signOutHeaders, 'set-cookie': formatClearedSessionCookie(isSecure) };
}
