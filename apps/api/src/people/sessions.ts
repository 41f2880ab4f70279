import type { PageRequest } from '@widget-service/shared/domain/page.ts';
import { permissions, permissionsForRole } from '@widget-service/shared/domain/role.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { toAuditName } from '@widget-service/shared/entities/audit-event.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { formatClearedSessionCookie } from '../caller/cookies.ts';
import { computeCsrfToken } from '../caller/csrf.ts';
import { requireSession } from '../caller/enforce-policy.ts';
import { idParamsSchema, notFound, requireById, requireId } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { signOutHeaders } from '../http/security-headers.ts';
import type { RouteDeps } from '../route-deps.ts';
import { toBody } from '../schemas/body.ts';
import { pageQuerySchema, readPage, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { shownUuid, timestamp } from '../schemas/text.ts';
import { toUserBody, userSchema } from './users.ts';

export const sessionSchema = z
  .object({
    user: userSchema,
    permissions: z.array(z.enum(permissions)).meta({ examples: [['widgets:read', 'widgets:create']] }),
    csrfToken: z.string().meta({
      description: 'The value to send in the header `X-Csrf-Token`.',
      examples: ['a5vVPlZ0OPx0LGyAgX3DIYEC0zAnx2u9sN3rS2P0gkQ'],
    }),
    expiresAt: timestamp.describe('When the session expires at the latest. It expires earlier if it is idle for long.'),
  })
  .meta({ id: 'Session', description: 'Who is signed in, and what that user may do.' });

/** Converts a session to the form that the API returns to its user. */
export function toSessionBody(sessionId: string, { user, session }: SignedIn): z.output<typeof sessionSchema> {
  return {
    user: toUserBody(user),
    permissions: [...permissionsForRole(user.role)],
    csrfToken: computeCsrfToken(sessionId),
    expiresAt: session.expiresAt.toISOString(),
  };
}

/** A session in a list. It shows neither the cookie's value nor anything that is derived from it. */
const activeSessionSchema = z
  .object({
    id: shownUuid.describe('Names the session in requests. It is no secret.'),
    device: z.string().nullable().meta({
      description:
        'What signed in, by its `User-Agent`: a browser and a system, or the name of a program. Null: unknown. A client can send any name.',
    }),
    address: z.string().nullable().meta({
      description:
        'The address at sign-in. Null: unknown, for example because the request came through a proxy that the service does not trust.',
    }),
    createdAt: timestamp.describe('When the user signed in.'),
    lastUsedAt: timestamp.describe('When the session was last used, accurate to a minute.'),
    expiresAt: timestamp.describe('When the session expires at the latest. It expires earlier if it is idle for long.'),
    current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
  })
  .meta({
    id: 'ActiveSession',
    description: 'A session of a user that has not ended.',
    examples: [
      {
        id: '01a1fc8b-7c1d-7d3e-9a54-0b6d2f8e4c17',
        device: 'Firefox 145 on Windows',
        address: '198.51.100.7',
        createdAt: '2026-03-01T08:00:00.000Z',
        lastUsedAt: '2026-03-01T10:12:00.000Z',
        expiresAt: '2026-03-08T08:00:00.000Z',
        current: true,
      },
    ],
  });

const activeSessionPageSchema = toPageSchema(activeSessionSchema);

/** Reads one page of the sessions of a user that have not ended, as this request sees them. */
async function readSessions(
  request: FastifyRequest,
  query: PageRequest,
  { sessions, manageSessions }: RouteDeps,
  userId: string,
) {
  const current = requireSession(request).session.digest;
  return toPageBody(query, await readPage(sessions, manageSessions.areLive(userId), query), (session) =>
    toBody(activeSessionSchema, {
      ...session,
      lastUsedAt: session.lastSeenAt,
      current: session.digest === current,
    }),
  );
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
export function signOutRoute({ manageSessions, settings }: RouteDeps): Route {
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
      return reply.code(204).headers(clearSession(settings.COOKIE_SECURE)).send();
    },
  });
}

/** `DELETE /api/v1/sessions`: ends every session of the caller, including this one. */
export function signOutEverywhereRoute({ manageSessions, settings }: RouteDeps): Route {
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
      return reply.code(204).headers(clearSession(settings.COOKIE_SECURE)).send();
    },
  });
}

/** `GET /api/v1/sessions`: the caller's sessions. */
export function listOwnSessionsRoute(deps: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.sessions.list',
      summary: 'List your sessions',
      description:
        'Returns one page of your sessions that have not ended, the newest sign-in first. `current` marks the session of this request.',
      querystring: pageQuerySchema,
      response: documentResponses({ 200: { body: activeSessionPageSchema, description: 'One page of sessions.' } }),
    },
    handler: (request) => readSessions(request, request.query, deps, requireSession(request).user.id),
  });
}

/** `DELETE /api/v1/sessions/{id}`: ends one session of the caller. */
export function endOwnSessionRoute({ manageSessions, settings }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.sessions.end',
      summary: 'End one of your sessions',
      description:
        'The session ends at once. Requests for widgets on other servers, and its personal streams, follow within 2 seconds. After a 503, repeat the request until you get 204 or 404: they then follow within a minute. If it is the session of this request, the response also clears its cookie.',
      params: idParamsSchema,
      response: documentResponses(
        { 204: { description: 'The session has ended.', body: null, optionalHeaders: ['Set-Cookie'] } },
        'not-found',
      ),
    },
    handler: async (request, reply) => {
      const { user, session } = requireSession(request);
      const id = parseUuid(request.params.id);
      noteAudit(request, { before: { sessionId: id } });
      if (id === null || !(await manageSessions.endById(user.id, id))) throw notFound('session');
      if (id === session.id) reply.headers(clearSession(settings.COOKIE_SECURE));
      return reply.code(204).send();
    },
  });
}

const endingText =
  'The user is not disabled, and can sign in again. Sessions end at once. Requests for widgets on other servers, and personal streams, follow within 2 seconds. After a 503, repeat the request: they then follow within a minute.';

/** `GET /api/v1/users/{id}/sessions`: the sessions of a user. */
export function listUserSessionsRoute(deps: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.listSessions',
      summary: "List a user's sessions",
      description: 'Returns one page of the sessions of a user that have not ended, the newest sign-in first.',
      params: idParamsSchema,
      querystring: pageQuerySchema,
      response: documentResponses(
        { 200: { body: activeSessionPageSchema, description: 'One page of sessions.' } },
        'not-found',
      ),
    },
    handler: async (request) => {
      const { id } = await requireById(deps.users, request.params, 'user');
      return readSessions(request, request.query, deps, id);
    },
  });
}

/** `DELETE /api/v1/users/{id}/sessions`: ends every session of a user. */
export function endUserSessionsRoute({ users, manageSessions }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.endSessions',
      summary: "End all of a user's sessions",
      description: endingText,
      params: idParamsSchema,
      response: documentResponses({ 204: z.null().describe('The sessions have ended.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const user = await requireById(users, request.params, 'user');
      await manageSessions.endAll(user.id);
      noteAudit(request, { targetName: toAuditName(user), after: { sessions: 'all-ended' } });
      return reply.code(204).send();
    },
  });
}

/** `DELETE /api/v1/users/{id}/sessions/{sessionId}`: ends one session of a user. */
export function endUserSessionRoute({ users, manageSessions }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.endSession',
      summary: "End one of a user's sessions",
      description: endingText,
      params: z.object({ id: z.string(), sessionId: z.string() }),
      response: documentResponses({ 204: z.null().describe('The session has ended.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const { params } = request;
      const userId = requireId(params.id, 'user');
      const sessionId = parseUuid(params.sessionId);
      const user = await users.get(userId);
      noteAudit(request, { targetName: user === null ? null : toAuditName(user), before: { sessionId } });
      if (sessionId === null || !(await manageSessions.endById(userId, sessionId))) throw notFound('session');
      return reply.code(204).send();
    },
  });
}

/** The headers of the response that ends the session of a browser. */
function clearSession(isSecure: boolean) {
  return { ...signOutHeaders, 'set-cookie': formatClearedSessionCookie(isSecure) };
}
