import { toAuditName } from '@widget-service/shared/domain/audit-event.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type {
  makeEndAllSessions,
  makeEndSessionById,
  makeListSessions,
} from '@widget-service/shared/usecases/access/sessions.ts';
import { z } from 'zod';
import { noteAudit } from '../../audit/audit.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { pageQuerySchema } from '../../schemas/page.ts';
import { toPageBody } from '../../schemas/page-body.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { activeSessionPageSchema } from '../session/active-session-schema.ts';
import { makeToActiveSessionBody, unknownSessionError } from '../session/manage-sessions.ts';
import { requireUserId, unknownUserError } from './user-routes.ts';

const endingText =
  'The user is not disabled, and can sign in again. Sessions end on every server at once, and their personal streams close within 2 seconds. After a 503, repeat the request; the streams then close within a minute.';

export interface UserSessionRoutesDeps {
  readonly users: Pick<Collection<User>, 'get'>;
  readonly listSessions: ReturnType<typeof makeListSessions>;
  readonly endAllSessions: ReturnType<typeof makeEndAllSessions>;
  readonly endSessionById: ReturnType<typeof makeEndSessionById>;
}

/** `GET /api/v1/users/{id}/sessions`: the sessions of a user. */
export function listUserSessionsRoute({ users, listSessions }: UserSessionRoutesDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.listSessions',
      summary: "List a user's sessions",
      description: 'Returns one page of the sessions of a user that have not ended, the newest sign-in first.',
      params: z.object({ id: z.string() }),
      querystring: pageQuerySchema,
      response: documentResponses(
        { 200: { body: activeSessionPageSchema, description: 'One page of sessions.' } },
        'not-found',
      ),
    },
    handler: async (request) => {
      const { params, query } = request;
      const { id: userId } = await requireUser(params, users);
      return toPageBody(query, await listSessions(userId, query), makeToActiveSessionBody(request));
    },
  });
}

/** `DELETE /api/v1/users/{id}/sessions`: ends every session of a user. */
export function endUserSessionsRoute({ users, endAllSessions }: UserSessionRoutesDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.users.endSessions',
      summary: "End all of a user's sessions",
      description: endingText,
      params: z.object({ id: z.string() }),
      response: documentResponses({ 204: z.null().describe('The sessions have ended.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const user = await requireUser(request.params, users);
      await endAllSessions(user.id);
      noteAudit(request, { targetName: toAuditName(user), after: { sessions: 'all-ended' } });
      return reply.code(204).send();
    },
  });
}

/** `DELETE /api/v1/users/{id}/sessions/{sessionId}`: ends one session of a user. */
export function endUserSessionRoute({ users, endSessionById }: UserSessionRoutesDeps): Route {
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
      const userId = requireUserId(params);
      const sessionId = parseUuid(params.sessionId);
      const user = await users.get(userId);
      noteAudit(request, { targetName: user === null ? null : toAuditName(user), before: { sessionId } });
      if (sessionId === null || !(await endSessionById(userId, sessionId))) throw unknownSessionError();
      return reply.code(204).send();
    },
  });
}

/** Returns the user in the path. Throws `not-found` if there is no such user. */
async function requireUser(params: { readonly id: string }, users: Pick<Collection<User>, 'get'>): Promise<User> {
  const user = await users.get(requireUserId(params));
  if (user === null) throw unknownUserError();
  return user;
}
