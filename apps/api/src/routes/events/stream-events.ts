import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { StreamStart } from '@widget-service/shared/domain/stream-start.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import type { makeOpenStream } from '@widget-service/shared/usecases/events/open-stream.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify';
import { FastifySSEPlugin } from 'fastify-sse-v2';
import { z } from 'zod';
import type { RecordLastUsed } from '../../auth/record-last-used.ts';
import type { StreamEntitlement, StreamHolder, StreamTokenVerdict } from '../../auth/stream-entitlement.ts';
import { sendProblem } from '../../http/problem.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { streamExample, streamMessages, streamText } from '../../schemas/stream-message.ts';
import type { makeAdmitStream } from '../../stream/admit-stream.ts';
import { Chunk } from '../../stream/chunk.ts';
import { type ClosingReason, closingBytes, closingMessage, openingMessages, randomWithin } from '../../stream/frame.ts';
import type { Hub } from '../../stream/hub.ts';
import { createResponseSink, type Sink, takeOverResponse } from '../../stream/response-sink.ts';

export interface StreamRouteDeps {
  readonly verifyToken: (token: string) => Promise<StreamTokenVerdict>;
  /** Another number whenever a right may have changed: what was verified before is then verified again. */
  readonly generation: () => number;
  readonly openStream: ReturnType<typeof makeOpenStream>;
  readonly hub: Pick<Hub, 'nextSlice' | 'join'>;
  readonly metrics: Pick<Metrics, 'streamsOpen' | 'streamsClosed'>;
  readonly admit: ReturnType<typeof makeAdmitStream>;
  readonly recordLastUsed: RecordLastUsed;
  readonly heartbeatIntervalMs: number;
}

const path = '/api/v1/events/:token';
/** Every answer under a stream's address, its refusals included, may be read by a page of any origin. */
const openToAllOrigins: onRequestHookHandler = (_request, reply, done) => {
  reply.header('access-control-allow-origin', '*');
  done();
};
const publicRoute = { config: { policy: 'public' }, onRequest: openToAllOrigins } as const;

/** `GET /api/v1/events/{token}`: the stream of widget events. */
export async function registerStreamRoute(app: FastifyInstance, deps: StreamRouteDeps): Promise<void> {
  // No `retry:` of the plugin's own: every stream gets a random one with its first event.
  await app.register(FastifySSEPlugin, { retryDelay: false });

  app.get<TokenRoute>(path, { ...publicRoute, schema: description }, async (request, reply) => {
    const verified = await verify(request, deps);
    if (verified.verdict.status === 'unknown') return sendProblem(reply, { code: 'stream-not-found' });
    setStreamHeaders(reply);
    if (verified.verdict.status === 'unavailable') return close(reply, 'unavailable');
    const admission = deps.admit(verified.verdict.entitlement.holder);
    if (admission.status === 'refused') return close(reply, admission.reason);
    let isOpen = false;
    try {
      isOpen = await open(
        { deps, request, reply, leave: admission.release },
        { ...verified, verdict: verified.verdict },
      );
    } finally {
      if (!isOpen) admission.release();
    }
    return reply;
  });

  app.head<TokenRoute>(path, { ...publicRoute, schema: hidden }, async (request, reply) => {
    const { verdict } = await verify(request, deps);
    if (verdict.status === 'unknown') return sendProblem(reply, { code: 'stream-not-found' });
    setStreamHeaders(reply);
    return reply.header('content-type', 'text/event-stream; charset=utf-8').send();
  });

  app.options<TokenRoute>(path, { ...publicRoute, schema: hidden }, async (_request, reply) =>
    reply
      .code(204)
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
  description: streamText,
  security: [],
  parameters: ['Last-Event-ID', 'lastEventId'],
  response: documentResponses(
    {
      200: {
        description: 'An open stream of server-sent events.',
        body: z.string(),
        mediaType: 'text/event-stream',
        events: streamMessages,
        example: streamExample,
      },
    },
    'stream-not-found',
  ),
};
/** What only helps a browser or a proxy is not described. */
const hidden = { hide: true } as FastifySchema;

interface TokenRoute {
  Params: { token: string };
  Querystring: { lastEventId?: string | string[] };
}

/** A verdict, and the generation of rights that it was found in. */
interface Verified<Verdict = StreamTokenVerdict> {
  readonly generation: number;
  readonly verdict: Verdict;
}
type Entitled = Extract<StreamTokenVerdict, { status: 'ok' }>;

async function verify(request: FastifyRequest<TokenRoute>, deps: StreamRouteDeps): Promise<Verified> {
  const generation = deps.generation();
  return { generation, verdict: await deps.verifyToken(request.params.token) };
}

function setStreamHeaders(reply: FastifyReply): void {
  reply.headers({
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

async function findStart(deps: StreamRouteDeps, request: FastifyRequest<TokenRoute>): Promise<StreamStart | null> {
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

interface Opening {
  readonly deps: StreamRouteDeps;
  readonly request: FastifyRequest<TokenRoute>;
  readonly reply: FastifyReply;
  readonly leave: () => void;
}

/** False when no stream came of it: the pod cannot tell where to begin, the client left, or the right ended meanwhile. */
async function open(opening: Opening, { generation, verdict }: Verified<Entitled>): Promise<boolean> {
  const { deps, request, reply } = opening;
  await deps.hub.nextSlice();
  const start = await findStart(deps, request);
  if (start === null) {
    await close(reply, 'unavailable');
    return false;
  }
  const { heartbeatIntervalMs } = deps;
  const retryMs = randomWithin(2_000, 5_000);
  const subscriptionId = findSubscriptionId(verdict.entitlement.holder);
  const socket = await takeOverResponse(
    reply,
    openingMessages({ subscriptionId, start, heartbeatIntervalMs, retryMs }),
  );
  if (socket === null) return false;
  const sink = createResponseSink(reply.raw, socket);
  let now: Verified = { generation, verdict };
  // A change from here on finds the stream in the hub; nothing may come between this look and the joining.
  while (now.generation !== deps.generation()) now = await verify(request, deps);
  if (now.verdict.status !== 'ok') {
    sink.end(new Chunk(closingBytes(now.verdict.status === 'unknown' ? 'revoked' : 'unavailable')));
    return false;
  }
  join(opening, now.verdict.entitlement, start, sink);
  return true;
}

function join({ deps, request, leave }: Opening, entitlement: StreamEntitlement, start: StreamStart, sink: Sink): void {
  const line = { requestId: request.id, ...toOwnerFields(entitlement.holder) };
  const openedAtMs = performance.now();
  request.log.info({ ...line, resumed: start.resumed, gap: start.gap?.reason }, 'stream.opened');
  deps.metrics.streamsOpen.inc();
  if (entitlement.holder.kind === 'subscription') deps.recordLastUsed(entitlement.holder.id);
  deps.hub.join({
    sink,
    entitlement,
    epoch: start.position.epoch,
    cursor: start.position,
    onEnd: (reason) => {
      leave();
      deps.metrics.streamsOpen.dec();
      deps.metrics.streamsClosed.inc({ reason });
      request.log.info({ ...line, reason, durationMs: Math.round(performance.now() - openedAtMs) }, 'stream.closed');
    },
  });
}

function findSubscriptionId(holder: StreamHolder): string | null {
  return holder.kind === 'subscription' ? holder.id : null;
}

function toOwnerFields(holder: StreamHolder): { readonly subscriptionId: string } | { readonly userId: string } {
  return holder.kind === 'subscription' ? { subscriptionId: holder.id } : { userId: holder.userId };
}
