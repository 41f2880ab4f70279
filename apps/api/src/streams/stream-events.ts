import { type ProblemCode, UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { StreamStart } from '@widget-service/shared/domain/stream-start.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify';
import { FastifySSEPlugin } from 'fastify-sse-v2';
import { z } from 'zod';
import { requireSession } from '../caller/enforce-policy.ts';
import { type TrustedProxies, toClientNetwork, toShownAddress } from '../http/forwarding.ts';
import { sendProblem } from '../http/problem.ts';
import { decodeHeaderText } from '../http/request-headers.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { StreamEntitlement, StreamHolder, StreamTokenVerdict } from '../revocation/stream-entitlement.ts';
import type { RecordLastUsed } from '../revocation/token-caches.ts';
import { documentResponses } from '../schemas/problem.ts';
import type { makeAdmitStream } from './admit-stream.ts';
import { Chunk, type Sink } from './fan-out/chunk.ts';
import { type ClosingReason, closingBytes } from './fan-out/closing-rules.ts';
import { openingBytes, randomWithin } from './fan-out/frame.ts';
import type { Hub } from './fan-out/hub.ts';
import type { OpenedStream } from './record-stream-end.ts';
import { streamExample, streamMessages, streamText } from './stream-message-schema.ts';
import { openResponse, SocketSink, takeSocketFromHttp } from './stream-socket.ts';

export interface StreamRouteDeps {
  /** Finds the entitlement of a stream token. Returns `unavailable`, and does not throw, if a store is unavailable. */
  readonly verifyToken: (token: string) => Promise<StreamTokenVerdict>;
  /** The same for the digest of a session. */
  readonly verifySession: (digest: string) => Promise<StreamTokenVerdict>;
  /**
   * Rises whenever an entitlement may have changed. The route then verifies the token again before the stream joins.
   */
  readonly generation: () => number;
  readonly findStreamStart: (requested: string | null) => Promise<StreamStart | null>;
  readonly hub: Pick<Hub, 'nextSlice' | 'join'>;
  readonly metrics: Pick<Metrics, 'streamsOpen' | 'streamsOpened' | 'streamGaps' | 'streamsRefused' | 'streamsClosed'>;
  readonly admit: ReturnType<typeof makeAdmitStream>;
  readonly recordLastUsed: RecordLastUsed;
  readonly heartbeatIntervalMs: number;
  readonly trustedProxies: TrustedProxies;
  readonly recordEnd: (opened: OpenedStream, reason: string) => void;
}

/** Pages of any origin may read every response of this route, errors included (CORS, WHATWG Fetch). */
const allowAnyOrigin: onRequestHookHandler = (_request, reply, done) => {
  reply.header('access-control-allow-origin', '*');
  done();
};

/** Adds `reply.sse` to the routes below `app`. The stream's route needs it. */
export async function registerServerSentEvents(app: FastifyInstance): Promise<void> {
  // With `retryDelay: false`, fastify-sse-v2 writes no fixed `retry:`. Each stream gets a random one in `stream.open`.
  await app.register(FastifySSEPlugin, { retryDelay: false });
}

/**
 * `GET /api/v1/events/{token}`: the stream of widget events.
 *
 * It answers 404 if the token is malformed, unknown, revoked or expired, and otherwise 200. A stream that cannot be
 * opened now consists of one `stream.closing`.
 */
export function streamEventsRoute(deps: StreamRouteDeps): Route {
  return defineTokenRoute(streamSchema, (request, reply) =>
    serveStream({ deps, request, reply, verify: () => deps.verifyToken(request.params.token) }, 'stream-not-found'),
  );
}

/**
 * `GET /api/v1/session/stream`: the stream of the signed-in user, whom the policy has found. It ends with the session.
 * The rest is as above, without CORS. `HEAD` opens no stream.
 */
export function streamOfSessionRoute(deps: StreamRouteDeps): Route {
  return defineRoute<FastifySchema>({
    schema: sessionStreamSchema,
    // A session that cannot be verified now may be valid: see `refuse`.
    errorHandler: (error, request, reply) => {
      if (request.method === 'HEAD' || !(error instanceof UnavailableError)) throw error;
      setStreamHeaders(reply);
      return refuse(reply, 'unavailable', deps);
    },
    handler: async (request, reply) => {
      if (request.method === 'HEAD') return sendHead(reply);
      const { digest } = requireSession(request).session;
      return serveStream({ deps, request, reply, verify: () => deps.verifySession(digest) }, 'not-authenticated');
    },
  });
}

interface StreamRequest {
  readonly deps: StreamRouteDeps;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly verify: () => Promise<StreamTokenVerdict>;
}

/** `refusal`: the code of the problem that a token or session that is not valid gets. */
async function serveStream(opening: StreamRequest, refusal: ProblemCode): Promise<FastifyReply> {
  const { deps, request, reply } = opening;
  // Read now: the request has no socket any more once the stream is open.
  const clientAddress = toClientNetwork(request, deps.trustedProxies);
  const shownAddress = toShownAddress(request, deps.trustedProxies);
  const verified = await verify(opening);
  if (verified.verdict.status === 'invalid') return sendProblem(reply, { code: refusal });
  setStreamHeaders(reply);
  if (verified.verdict.status === 'unavailable') return refuse(reply, 'unavailable', deps);
  const admission = deps.admit(verified.verdict.entitlement.holder);
  if (admission.status === 'refused') return refuse(reply, admission.reason, deps);
  let hasJoined = false;
  try {
    hasJoined = await openAndJoin(
      { ...opening, clientAddress, shownAddress, releaseAdmission: admission.release },
      { ...verified, verdict: verified.verdict },
    );
  } finally {
    if (!hasJoined) admission.release();
  }
  return reply;
}

/** `HEAD /api/v1/events/{token}`: the same status as GET, without opening a stream. */
export function probeStreamRoute(deps: StreamRouteDeps): Route {
  return defineTokenRoute(undocumented, async (request, reply) => {
    const verdict = await deps.verifyToken(request.params.token);
    return verdict.status === 'invalid' ? sendProblem(reply, { code: 'stream-not-found' }) : sendHead(reply);
  });
}

function sendHead(reply: FastifyReply): FastifyReply {
  setStreamHeaders(reply);
  return reply.header('content-type', 'text/event-stream; charset=utf-8').send();
}

/** `OPTIONS /api/v1/events/{token}`: the CORS preflight of a stream. */
export function preflightStreamRoute(): Route {
  return defineTokenRoute(undocumented, async (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET')
      .header('access-control-allow-headers', 'Last-Event-ID, Cache-Control')
      .header('access-control-max-age', '86400')
      .send(),
  );
}

/** These schemas only document the routes: Fastify validates and serialises nothing of a stream with them. */
const streamResponse = {
  200: {
    description: 'An open stream of server-sent events.',
    body: z.string(),
    mediaType: 'text/event-stream',
    events: streamMessages,
    example: streamExample,
  },
};
const streamSchema: FastifySchema & { operationId: string } = {
  parameters: ['Last-Event-ID', 'lastEventId'],
  operationId: 'example.events.stream',
  summary: 'Stream widget events',
  description: streamText,
  response: documentResponses(streamResponse, 'stream-not-found'),
};
const sessionStreamSchema: FastifySchema & { operationId: string } = {
  parameters: ['Last-Event-ID', 'lastEventId'],
  operationId: 'example.session.stream',
  summary: 'Stream widget events to a signed-in user',
  description:
    'For a page that shows the widgets as they change: the cookie of the session is the credential, so a page of this service opens it with `EventSource`. It sends every event, as a stream by token does, and ends with the session.',
  response: documentResponses(streamResponse),
};
/** Leaves HEAD and OPTIONS out of the OpenAPI document. */
const undocumented = { hide: true } as FastifySchema;

const defineTokenRoute = (schema: FastifySchema, handler: TokenHandler): Route =>
  defineRoute<FastifySchema, TokenRoute>({ schema, onRequest: allowAnyOrigin, handler });
type TokenHandler = Parameters<typeof defineRoute<FastifySchema, TokenRoute>>[0]['handler'];

interface TokenRoute {
  Params: { token: string };
}

/** A verdict, and the value of `generation` when the verification started. */
interface Verified<Verdict = StreamTokenVerdict> {
  readonly generation: number;
  readonly verdict: Verdict;
}
type OkVerdict = Extract<StreamTokenVerdict, { status: 'ok' }>;

async function verify({ deps, verify }: Pick<StreamRequest, 'deps' | 'verify'>): Promise<Verified> {
  const generation = deps.generation();
  return { generation, verdict: await verify() };
}

function setStreamHeaders(reply: FastifyReply): void {
  reply.headers({
    'cache-control': 'no-cache,no-transform',
    'x-accel-buffering': 'no',
  });
}

/**
 * Answers with a stream of one `stream.closing`. A token that may be valid never gets an error status: any status but
 * 200 stops a browser's EventSource for good (WHATWG HTML, section 9.2).
 */
async function refuse(reply: FastifyReply, reason: ClosingReason, { metrics }: StreamRouteDeps): Promise<FastifyReply> {
  metrics.streamsRefused.inc({ reason });
  const socket = await openResponse(reply, closingBytes(reason));
  if (socket !== null) reply.raw.end();
  return reply;
}

/**
 * Finds where the stream begins. The header comes before the query parameter. An empty value counts as none. Returns
 * null if the pod cannot tell now.
 */
async function findStart(deps: StreamRouteDeps, request: FastifyRequest): Promise<StreamStart | null> {
  const header = decodeHeaderText(request.headers['last-event-id']?.toString() ?? '');
  const query = (request.query as { lastEventId?: string | string[] }).lastEventId;
  const requested = [header, query].flat().find((value) => value !== undefined && value !== '');
  try {
    return await deps.findStreamStart(requested ?? null);
  } catch (error) {
    if (error instanceof UnavailableError) return null;
    throw error;
  }
}

interface Opening extends StreamRequest {
  /** The client's network, for audit events. */
  readonly clientAddress: string | null;
  /** The client's whole address, for the list of open streams. */
  readonly shownAddress: string | null;
  readonly releaseAdmission: () => void;
}

/**
 * Opens the stream and joins it to the hub. Resolves to false if it does not join: the pod cannot find its start, the
 * client has left, or the token was verified again and is no longer valid or cannot be verified now.
 */
async function openAndJoin(opening: Opening, { generation, verdict }: Verified<OkVerdict>): Promise<boolean> {
  const { deps, request, reply } = opening;
  // `takeSocketFromHttp` needs a request that was read to its end: it is read during the waits below.
  request.raw.resume();
  await deps.hub.nextSlice();
  const start = await findStart(deps, request);
  if (start === null) {
    await refuse(reply, 'unavailable', deps);
    return false;
  }
  const { heartbeatIntervalMs } = deps;
  // Random, so that the clients of a broken pod do not all reconnect at once.
  const retryMs = randomWithin(2_000, 5_000);
  const { holder } = verdict.entitlement;
  const subscriptionId = holder.kind === 'subscription' ? holder.id : null;
  const socket = await openResponse(reply, openingBytes({ subscriptionId, start, heartbeatIntervalMs, retryMs }));
  const isChunked = reply.raw.chunkedEncoding;
  if (socket === null || !(await takeSocketFromHttp(reply.raw, socket))) return false;
  const sink = new SocketSink(socket, { isChunked });
  let current: Verified = { generation, verdict };
  // A change before `join` must be seen here; one after it finds the stream in the hub. So no await is between.
  while (current.generation !== deps.generation()) current = await verify(opening);
  if (current.verdict.status !== 'ok') {
    // `invalid` does not say whether the token was revoked or has expired. The client must do the same in both cases.
    const reason = current.verdict.status === 'invalid' ? 'revoked' : 'unavailable';
    deps.metrics.streamsRefused.inc({ reason });
    sink.end(new Chunk(closingBytes(reason)));
    return false;
  }
  join(opening, current.verdict.entitlement, start, sink);
  return true;
}

function join(
  { deps, request, clientAddress, shownAddress, releaseAdmission }: Opening,
  entitlement: StreamEntitlement,
  start: StreamStart,
  sink: Sink,
): void {
  const { holder } = entitlement;
  const opened = { holder, clientAddress, requestId: request.id };
  const logFields = { requestId: request.id, ...toOwnerFields(holder) };
  const openedAtMs = performance.now();
  // `onEnd` must not keep the request as long as the stream is open.
  const { log } = request;
  log.info({ ...logFields, resumed: start.resumed, gap: start.gap?.reason }, 'stream.opened');
  deps.metrics.streamsOpen.inc();
  deps.metrics.streamsOpened.inc({ start: start.gap === null ? (start.resumed ? 'resumed' : 'fresh') : 'gap' });
  if (start.gap !== null) deps.metrics.streamGaps.inc({ reason: start.gap.reason });
  if (holder.kind === 'subscription') deps.recordLastUsed(holder.id);
  deps.hub.join({
    id: request.id,
    address: shownAddress,
    sink,
    entitlement,
    epoch: start.position.epoch,
    cursor: start.position,
    onEnd: (reason) => {
      releaseAdmission();
      deps.metrics.streamsOpen.dec();
      deps.metrics.streamsClosed.inc({ reason });
      deps.recordEnd(opened, reason);
      log.info({ ...logFields, reason, durationMs: Math.round(performance.now() - openedAtMs) }, 'stream.closed');
    },
  });
}

function toOwnerFields(holder: StreamHolder): { readonly subscriptionId: string } | { readonly userId: string } {
  return holder.kind === 'subscription' ? { subscriptionId: holder.id } : { userId: holder.userId };
}
