import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { withinRequestDeadline } from '../http/request-state.ts';
import { idParamsSchema, notFound, requireById } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { documentResponses } from '../schemas/problem.ts';
import { shownUuid, timestamp } from '../schemas/text.ts';
import type { OpenStream } from './stream-directory.ts';

/** `GET /api/v1/subscriptions/{id}/connections`: the open streams, on every pod. */
export function listConnectionsRoute({ subscriptions, streamDirectory }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.subscriptions.listConnections',
      summary: 'List the open streams of a subscription',
      description:
        'Returns the open streams on every server process, the last opened first: at most 1 000. Each process writes the list of its newest 1 000 streams every 5 s; `asOf` is when the oldest of these lists was written, and `isComplete` is false if one is cut.',
      params: idParamsSchema,
      response: documentResponses({ 200: openConnectionsSchema }, 'not-found'),
    },
    handler: async (request): Promise<OpenConnectionsBody> => {
      const { id } = await requireById(subscriptions, request.params, 'subscription');
      const listing = withinRequestDeadline(request, streamDirectory.list(id), 'open streams');
      const { streams, count, isComplete, asOf } = await listing;
      return { items: streams.map(toConnectionBody), totalItems: count, isComplete, asOf: asOf.toISOString() };
    },
  });
}

/** `DELETE /api/v1/subscriptions/{id}/connections/{connectionId}`: ends one stream. */
export function endConnectionRoute({ subscriptions, streamDirectory }: RouteDeps): Route {
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

const exampleConnection = {
  id: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
  address: '198.51.100.7',
  position: 'k3f9.1764000000000.1284',
  openedAt: '2026-03-01T10:00:01.000Z',
  sentBytes: 18_340,
  unsentBytes: 0,
  pod: 'widget-api-6c9f/1',
};

const connectionSchema = z
  .object({
    id: shownUuid.describe('The `X-Request-Id` of the response, which is the stream.'),
    address: z.string().nullable().meta({
      description:
        'The address of the client. Null if the request came through a proxy that the service does not trust.',
    }),
    position: z.string().meta({ description: 'The last event that was written, or that the filter left out.' }),
    openedAt: timestamp,
    sentBytes: z.int().meta({ description: 'Bytes since the opening that the network has accepted.' }),
    unsentBytes: z.int().meta({ description: 'Bytes that wait for the client.' }),
    pod: z.string().meta({ description: 'The server process that holds the stream: host name and process id.' }),
  })
  .meta({ id: 'Connection', description: 'An open stream of a subscription.', examples: [exampleConnection] });

const openConnectionsSchema = z
  .object({
    items: z.array(connectionSchema).max(1_000),
    totalItems: z
      .int()
      .min(0)
      .meta({ description: 'How many streams the server processes list, also those that are not in `items`.' }),
    isComplete: z.boolean().meta({
      description:
        'False if a server process has more streams than it lists, which are its newest 1 000: streams may be missing.',
    }),
    asOf: timestamp.meta({ description: 'When the oldest of the lists was written: streams may have come and gone.' }),
  })
  .meta({
    id: 'OpenConnections',
    description: 'The open streams of a subscription, the last opened first: at most 1 000.',
    examples: [{ items: [exampleConnection], totalItems: 1, isComplete: true, asOf: '2026-03-01T10:00:04.000Z' }],
  });
type OpenConnectionsBody = z.output<typeof openConnectionsSchema>;
