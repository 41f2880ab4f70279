import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { StreamStart } from '@widget-service/shared/domain/stream-start.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import type { createOpenStream } from '@widget-service/shared/usecases/events/open-stream.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { FastifySSEPlugin } from 'fastify-sse-v2';
import { z } from 'zod';
import type { StreamTokenVerdict } from '../../auth/stream-token.ts';
import { sendProblem } from '../../http/problem.ts';
import { answers } from '../../schemas/problem.ts';
import type { createAdmission } from '../../stream/admission.ts';
import { type ClosingReason, closingMessage, openingMessages, randomWithin } from '../../stream/frame.ts';
import type { Hub } from '../../stream/hub.ts';
import { createResponseSink } from '../../stream/response-sink.ts';
import { takeOverResponse } from '../../stream/take-over-response.ts';

export interface StreamRouteDeps {
  readonly verifyToken: (token: string) => Promise<StreamTokenVerdict>;
  readonly openStream: ReturnType<typeof createOpenStream>;
  readonly hub: Hub;
  readonly metrics: Pick<Metrics, 'streamsOpen' | 'streamsClosed'>;
  readonly admit: ReturnType<typeof createAdmission>;
  readonly heartbeatIntervalMs: number;
}

const path = '/api/v1/events/:token';
/** The headers of every answer under a stream's address, its 404 included: a page of any origin may read it. */
const openToAllOrigins = { 'access-control-allow-origin': '*' };

/** `GET /api/v1/events/{token}`: the stream of widget events. */
export async function registerStreamRoute(app: FastifyInstance, deps: StreamRouteDeps): Promise<void> {
  // No `retry:` of the plugin's own: every stream gets a random one with its first event.
  await app.register(FastifySSEPlugin, { retryDelay: false });
  const publicRoute = { config: { policy: 'public' } } as const;

  app.get<TokenRoute>(path, { ...publicRoute, schema: description }, async (request, reply) => {
    const verdict = await verdictOf(request, deps);
    if (verdict.status === 'unknown') return sendUnknown(reply);
    setStreamHeaders(reply);
    if (verdict.status === 'unavailable') return close(reply, 'unavailable');
    const admission = deps.admit(verdict.subscription.id);
    if (admission.status === 'refused') return close(reply, admission.reason);
    const isOpen = await open(deps, verdict.subscription, admission.leave, request, reply);
    if (!isOpen) admission.leave();
    return reply;
  });

  app.head<TokenRoute>(path, { ...publicRoute, schema: hidden }, async (request, reply) => {
    const verdict = await verdictOf(request, deps);
    if (verdict.status === 'unknown') return sendUnknown(reply);
    setStreamHeaders(reply);
    return reply.header('content-type', 'text/event-stream; charset=utf-8').send();
  });

  app.options<TokenRoute>(path, { ...publicRoute, schema: hidden }, async (_request, reply) =>
    reply
      .code(204)
      .headers(openToAllOrigins)
      .header('access-control-allow-methods', 'GET')
      .header('access-control-allow-headers', 'Last-Event-ID, Cache-Control')
      .header('access-control-max-age', '86400')
      .send(),
  );
}

/** For the interface's description alone: nothing of a stream is validated or serialised by schema. */
const description: FastifySchema & { operationId: string } = {
  operationId: 'example.events.stream',
  summary: 'Stream widget events',
  security: [],
  response: answers(
    {
      200: {
        description: 'An open stream of server-sent events.',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    },
    404,
  ),
};
/** What only helps a browser or a proxy is not described. */
const hidden = { hide: true } as FastifySchema;

interface TokenRoute {
  Params: { token: string };
  Querystring: { lastEventId?: string | string[] };
}

async function verdictOf(request: FastifyRequest<TokenRoute>, deps: StreamRouteDeps): Promise<StreamTokenVerdict> {
  return deps.verifyToken(request.params.token);
}

function sendUnknown(reply: FastifyReply): FastifyReply {
  return sendProblem(reply.headers(openToAllOrigins), { code: 'stream-not-found' });
}

function setStreamHeaders(reply: FastifyReply): void {
  reply.headers({
    ...openToAllOrigins,
    'cache-control': 'no-cache,no-transform',
    'x-accel-buffering': 'no',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
}

/** Never an error status for a token that may be valid: anything but 200 stops a browser's EventSource for good. */
async function close(reply: FastifyReply, reason: ClosingReason): Promise<FastifyReply> {
  const socket = await takeOverResponse(reply, [closingMessage(reason)]);
  if (socket !== null) reply.raw.end();
  return reply;
}

async function startOf(deps: StreamRouteDeps, request: FastifyRequest<TokenRoute>): Promise<StreamStart | null> {
  const header = request.headers['last-event-id'];
  const query = request.query.lastEventId;
  const asked = [header, query].flat().find((value) => value !== undefined && value !== '');
  try {
    return await deps.openStream(asked ?? null);
  } catch (error) {
    if (error instanceof UnavailableError) return null;
    throw error;
  }
}

/** False when no stream came of it: the pod cannot tell where to begin, or the client left. */
async function open(
  deps: StreamRouteDeps,
  subscription: Subscription,
  leave: () => void,
  request: FastifyRequest<TokenRoute>,
  reply: FastifyReply,
): Promise<boolean> {
  const start = await startOf(deps, request).catch((error: unknown) => {
    leave();
    throw error;
  });
  if (start === null) {
    await close(reply, 'unavailable');
    return false;
  }
  const { heartbeatIntervalMs } = deps;
  const retryMs = randomWithin(2_000, 5_000);
  const messages = openingMessages({ subscriptionId: subscription.id, start, heartbeatIntervalMs, retryMs });
  const socket = await takeOverResponse(reply, messages);
  if (socket === null) return false;
  const line = { requestId: request.id, subscriptionId: subscription.id };
  const openedAtMs = performance.now();
  request.log.info({ ...line, resumed: start.resumed, gap: start.gap?.reason }, 'stream.opened');
  deps.metrics.streamsOpen.inc();
  deps.hub.join({
    sink: createResponseSink(reply.raw, socket),
    epoch: start.position.epoch,
    cursor: start.position,
    onEnd: (reason) => {
      leave();
      deps.metrics.streamsOpen.dec();
      deps.metrics.streamsClosed.inc({ reason });
      request.log.info({ ...line, reason, durationMs: Math.round(performance.now() - openedAtMs) }, 'stream.closed');
    },
  });
  return true;
}
