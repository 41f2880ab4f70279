import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import type { makeEndSessionById, makeListSessions } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noteAudit } from '../../audit/audit.ts';
import { formatClearedSessionCookie } from '../../caller/cookies.ts';
import { requireSession } from '../../caller/policy.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { signOutHeaders } from '../../http/security-headers.ts';
import { pageQuerySchema } from '../../schemas/page.ts';
import { toPageBody } from '../../schemas/page-body.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { type ActiveSessionBody, activeSessionPageSchema } from './active-session-schema.ts';

export interface ListOwnSessionsRouteDeps {
  readonly listSessions: ReturnType<typeof makeListSessions>;
}

/** `GET /api/v1/sessions`: the caller's sessions. */
export function listOwnSessionsRoute({ listSessions }: ListOwnSessionsRouteDeps): Route {
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
      const rows = await listSessions(requireSession(request).user.id, query);
      return toPageBody(query, rows, makeToActiveSessionBody(request));
    },
  });
}

export interface EndOwnSessionRouteDeps {
  readonly endSessionById: ReturnType<typeof makeEndSessionById>;
  readonly cookieSecure: boolean;
}

/** `DELETE /api/v1/sessions/{id}`: ends one session of the caller. */
export function endOwnSessionRoute({ endSessionById, cookieSecure }: EndOwnSessionRouteDeps): Route {
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
      if (id === null || !(await endSessionById(user.id, id))) throw unknownSessionError();
      if (id === session.id) {
        reply.headers({ ...signOutHeaders, 'set-cookie': formatClearedSessionCookie(cookieSecure) });
      }
      return reply.code(204).send();
    },
  });
}

/** Makes the function that converts a session to the form in which lists show it, for this request. */
export function makeToActiveSessionBody(request: FastifyRequest): (session: Session) => ActiveSessionBody {
  const currentDigest = requireSession(request).session.digest;
  return ({ id, digest, device, address, createdAt, lastSeenAt, expiresAt }) => ({
    id,
    device,
    address,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastSeenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    current: digest === currentDigest,
  });
}

export function unknownSessionError(): ServiceError {
  return new ServiceError('not-found', 'There is no such session.');
}
