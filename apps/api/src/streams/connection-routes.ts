import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { Subscription } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { withinRequestDeadline } from '../http/request-deadline.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { documentResponses } from '../schemas/problem.ts';
import { type OpenConnectionsBody, openConnectionsSchema } from './connection-schema.ts';
import type { OpenStream, StreamDirectory } from './stream-directory.ts';

export interface ConnectionRoutesDeps {
  readonly subscriptions: Pick<Collection<Subscription>, 'get'>;
  readonly streamDirectory: Pick<StreamDirectory, 'list' | 'end'>;
}

/** `GET /api/v1/subscriptions/{id}/connections`: the open streams, on every pod. */
export function listConnectionsRoute({ subscriptions, streamDirectory }: ConnectionRoutesDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.subscriptions.listConnections',
      summary: 'List the open streams of a subscription',
      description:
        'Returns the open streams on every server process, the last opened first: at most 1 000. Each process writes the list of its newest 1 000 streams every 5 s; `asOf` is when the oldest of these lists was written, and `isComplete` is false if one is cut.',
      params: z.object({ id: z.string() }),
      response: documentResponses({ 200: openConnectionsSchema }, 'not-found'),
    },
    handler: async (request): Promise<OpenConnectionsBody> => {
      const id = parseUuid(request.params.id);
      if (id === null || (await subscriptions.get(id)) === null) throw notFound('subscription');
      const listing = withinRequestDeadline(request, streamDirectory.list(id), 'open streams');
      const { streams, count, isComplete, asOf } = await listing;
      return { items: streams.map(toConnectionBody), totalItems: count, isComplete, asOf: asOf.toISOString() };
    },
  });
}

/** `DELETE /api/v1/subscriptions/{id}/connections/{connectionId}`: ends one stream. */
export function endConnectionRoute({ subscriptions, streamDirectory }: ConnectionRoutesDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.subscriptions.endConnection',
      summary: 'End an open stream of a subscription',
      description:
        'The stream ends within 2 s, with `stream.closing` and the reason `lifetime`, so its client reconnects and resumes. To keep the client out, delete the subscription or rotate its token. A stream of another server process stays listed for up to 5 s.',
      params: z.object({ id: z.string(), connectionId: z.string() }),
      response: documentResponses({ 204: z.null().describe('The stream has ended, or ends within 2 s.') }, 'not-found'),
    },
    handler: async (request, reply) => {
      const { params } = request;
      const id = parseUuid(params.id);
      const connectionId = parseUuid(params.connectionId);
      const subscription = id === null ? null : await subscriptions.get(id);
      noteAudit(request, { targetName: subscription?.name ?? null, before: { connectionId } });
      const isEnded =
        id !== null &&
        connectionId !== null &&
        (await withinRequestDeadline(request, streamDirectory.end(id, connectionId), 'open streams'));
      if (!isEnded) throw notFound('stream');
      return reply.code(204).send();
    },
  });
}

function toConnectionBody({ openedAtMs, ...stream }: OpenStream): OpenConnectionsBody['items'][number] {
  return { ...stream, openedAt: new Date(openedAtMs).toISOString() };
}

function notFound(what: 'subscription' | 'stream'): ServiceError {
  return new ServiceError('not-found', `There is no such ${what}.`);
}
