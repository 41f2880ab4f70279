import type { HookBody } from '@widget-service/shared/domain/delivery.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { DeduplicationKey } from '@widget-service/shared/domain/hook-event-id.ts';
import { extractMemberText } from '@widget-service/shared/domain/json.ts';
import type { GrantToken } from '@widget-service/shared/entities/grant.ts';
import { acceptHook } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type TrustedProxies, toClientNetwork, toPublicUrl } from '../http/forwarding.ts';
import { hasBody } from '../http/json-body.ts';
import { InputError } from '../http/problem.ts';
import { parseIdempotencyHeader, parseWebhookIdHeader } from '../http/request-headers.ts';
import { remainingRequestMs } from '../http/request-state.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { makeRecordLastUsed } from '../revocation/token-caches.ts';
import type { RouteDeps } from '../route-deps.ts';
import { hookEventSchema } from '../schemas/hook-event.ts';
import { documentResponses } from '../schemas/problem.ts';
import type { MappedHook } from '../sources/map-hook.ts';
import { type ReadSource, readSource } from '../sources/read-source.ts';
import { findScheme } from '../sources/sender-presets.ts';
import { listSignedUrls } from '../sources/sent-request.ts';
import { unsealKeys } from '../sources/source-key.ts';
import { nativeScheme, verifySignature } from '../sources/verify-signature.ts';
import { AcceptedHookLog } from './accepted-hook-log.ts';
import { IntakeRecorder, type RefusedForeignRequest } from './intake-recorder.ts';

const hookSchema = {
  operationId: 'example.events.receive',
  summary: 'Receive an inbound hook',
  description:
    'Accepts a hook of an outside system. 202 means that the hook is durably queued: it is applied to its widget once, and becomes one event on the streams. If it cannot be processed, it becomes a dead letter, which `GET /api/v1/integrations/{id}/deliveries` shows.\n\nRepeat a hook until you get 202. As long as the service keeps the delivery (7 days by default), hooks of one integration with the same `webhook-id` are one event. For hooks without a `webhook-id`, the `Idempotency-Key` decides. With neither, hooks with the same content are one event if the integration has `deduplicateByContent` and the hook has a `widgetId` or a `payload`; otherwise each hook is an event of its own. After a 400, correct the request before you send it again.\n\nAn integration with a `source` accepts what its sender sends instead of this body, also as a form or as CloudEvents: its `mapping` makes a hook of it.',
  parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'Idempotency-Key'] as const,
  body: hookEventSchema,
  response: documentResponses(
    {
      202: {
        description:
          'The hook was accepted. Without `Webhook-Event-Id`: the `source` of the integration ignores the request.',
        body: null,
        optionalHeaders: ['Webhook-Event-Id'],
      },
    },
    'invalid-hook-signature',
    'hook-not-mappable',
    'integration-backlog-full',
  ),
};

/** `POST /api/v1/events/hooks/{token}`. 202: `GroupCommit` has stored the hook, and `replica-acks.ts` its copies. */
export function receiveHookRoute(deps: RouteDeps): Route {
  const { groupCommit, clock, metrics, logger, settings } = deps;
  const recordLastUsed = makeRecordLastUsed(deps.integrations, clock);
  const log = new AcceptedHookLog(logger);
  const recorder = new IntakeRecorder(deps);
  const { takeBody, findForeign } = makeTakeBody(deps);
  return defineRoute({
    onClose: async () => {
      log.endSecond();
      await recorder.close();
    },
    onRequest: (request, _reply, done) => {
      if (request.integration?.source != null) acceptAnyMediaType(request);
      done();
    },
    preValidation: (request, reply, done) => {
      const foreign = findForeign(request);
      if (foreign?.type === 'handshake') {
        reply.header('content-type', 'text/plain; charset=utf-8').send(foreign.answer);
      } else if (foreign?.type === 'ignored') {
        metrics.hooksIgnored.inc();
        sendAccepted(reply, null);
      } else {
        done();
      }
    },
    config: {
      hasFreeFormBody: true,
      takeBody,
      logFields: (request) => describeSender(request, settings.TRUSTED_PROXIES),
    },
    schema: hookSchema,
    onResponse: (request, _reply, done) => {
      const { problem } = request;
      if (problem !== null) {
        metrics.hooksRefused.inc({ code: problem.code });
        const foreign = findForeign(request);
        recorder.recordRefused(request, problem, foreign?.type === 'refused' ? foreign : null);
      }
      done();
    },
    handler: async (request, reply) => {
      const { integration } = request;
      if (integration === null) throw new Error('the policy hook-token did not set request.integration');
      request.span?.setAttributes({ 'widget.integration.id': integration.id });
      const foreign = findForeign(request);
      const mapped = foreign?.type === 'hook' ? foreign.hook : null;
      const body = toHookBody(request.body, mapped, request.bodyText ?? '');
      const sentKey = mapped === null ? readSentKey(request) : toKey('webhook-id', mapped.id);
      const traceContext = request.span?.context ?? null;
      const submission = { integration, body, sentKey, withinMs: remainingRequestMs(request), traceContext };
      const eventId = await acceptHook(groupCommit, submission, clock.now());
      metrics.hooksAccepted.inc();
      metrics.hookBytes.inc(body.payload?.length ?? 0);
      recorder.countAccepted(integration.id);
      request.span?.setAttributes({ 'widget.event.id': eventId });
      recordLastUsed(integration.id);
      log.record({ requestId: request.id, eventId, integrationId: integration.id });
      // The line of `AcceptedHookLog` replaces the line of the request log.
      request.isLogged = true;
      // Not returned: Fastify would wait for the response that was just sent, which takes three more promises.
      sendAccepted(reply, eventId);
    },
  });
}

/** Answers 202. `eventId` null: the mapping ignores the request, so it becomes no event. */
function sendAccepted(reply: FastifyReply, eventId: string | null): void {
  if (eventId !== null) reply.header('webhook-event-id', eventId);
  reply.code(202).send();
}

/**
 * Decides which header identifies repetitions of a hook: `webhook-id`, which senders by Standard Webhooks repeat with
 * each attempt, or else `Idempotency-Key`.
 */
function readSentKey(request: FastifyRequest): DeduplicationKey | null {
  return (
    toKey('webhook-id', parseWebhookIdHeader(request)) ?? toKey('idempotency-key', parseIdempotencyHeader(request))
  );
}

function toKey(kind: DeduplicationKey['kind'], value: string | null): DeduplicationKey | null {
  return value === null ? null : { kind, value };
}

/**
 * Keeps the payload as the text that was sent, so that numbers keep their digits and keys such as `__proto__` never get
 * into objects. `text` is the whole body. If there is a mapping, it has already found the payload.
 */
function toHookBody(body: z.output<typeof hookEventSchema>, mapped: MappedHook | null, text: string): HookBody {
  const { kind, occurredAt, widgetId = null, payload } = body;
  const hasPayload = payload !== undefined && payload !== null;
  const payloadText = !hasPayload ? null : mapped === null ? extractMemberText(text, 'payload') : mapped.payload;
  return { kind, occurredAt, widgetId, payload: payloadText };
}

/**
 * Makes the JSON parser accept a body of any media type: `readDocument` checks it after the signature. The charset
 * stays, and `rawHeaders` keep what was sent.
 */
function acceptAnyMediaType({ raw: { headers } }: FastifyRequest): void {
  if (!hasBody(headers)) return;
  headers['content-type'] = (headers['content-type'] ?? '').replace(/^[^;]*/, 'application/json');
}

/** What a request of a foreign sender turns out to be: a hook, ignored, a handshake to answer, or refused. */
type ForeignRequest =
  | { readonly type: 'hook'; readonly hook: MappedHook }
  | { readonly type: 'ignored' }
  | { readonly type: 'handshake'; readonly answer: string }
  | ({ readonly type: 'refused' } & RefusedForeignRequest);
type FindForeign = (request: FastifyRequest) => ForeignRequest | undefined;

const noUrls: readonly string[] = [];
/** A value that the schema of the body accepts, for a request that is no hook. */
const noHook = {};

/**
 * Makes the function that verifies the signature over the bytes of a body and, for an integration with a source, maps
 * the request to the hook that the interface describes. From then on, all hooks are the same. It throws `ServiceError`
 * `invalid-hook-signature` or `invalid-json`, `InputError` `hook-not-mappable`, or an `Error` if the stored secrets are
 * damaged. `findForeign` returns what it found a request of a foreign sender to be.
 */
function makeTakeBody({ clock, settings }: RouteDeps) {
  const foreignRequests = new WeakMap<FastifyRequest, ForeignRequest>();

  const takeBody = (request: FastifyRequest, body: Uint8Array): unknown => {
    const { integration, hookToken } = request;
    if (integration === null || hookToken === null)
      throw new Error('the policy hook-token did not set the integration');
    const { source, id } = integration;
    if (source === null) {
      if (hookToken.sealedSecret !== null) verifyStandardSignature(request, hookToken, body);
      return undefined;
    }
    const keys = unsealKeys(hookToken, (request.params as { token: string }).token, findScheme(source));
    const { rawHeaders, url = '' } = request.raw;
    const sent = { rawHeaders, body, urls: listSignedUrls(toPublicUrl(request, settings.PUBLIC_BASE_URL, url)) };
    const read = readSource({ source, keys, sent, integrationId: id, now: clock.now() });
    request.isSenderVerified = read.signature?.isValid === true;
    foreignRequests.set(request, { type: 'refused', body, read });
    const foreign = toForeignRequest(read);
    foreignRequests.set(request, foreign);
    if (foreign.type !== 'hook') return noHook;
    const { kind, occurredAt, widgetId, payload } = foreign.hook;
    // Nothing reads the payload from this object.
    return { kind, occurredAt, widgetId, payload: payload === null ? null : {} };
  };

  const verifyStandardSignature = (request: FastifyRequest, hookToken: GrantToken, body: Uint8Array): void => {
    const keys = unsealKeys(hookToken, (request.params as { token: string }).token, nativeScheme);
    const sent = { rawHeaders: request.raw.rawHeaders, body, urls: noUrls };
    if (!verifySignature(nativeScheme, keys, sent, clock.now()).isValid) throw createSignatureError();
    request.isSenderVerified = true;
  };

  const findForeign: FindForeign = (request) =>
    request.integration?.source == null ? undefined : foreignRequests.get(request);
  return { takeBody, findForeign };
}

function createSignatureError(): ServiceError {
  return new ServiceError('invalid-hook-signature', 'The signature of this hook is missing or not valid.');
}

function toForeignRequest({ signature, mistake, answer, mapping }: ReadSource): ForeignRequest {
  if (signature?.isValid === false) throw createSignatureError();
  if (mistake !== undefined) throw mistake;
  if (answer !== undefined) return { type: 'handshake', answer };
  if (mapping === undefined) throw new Error('unreachable: a document is mapped');
  if (mapping.outcome === 'ignored') return { type: 'ignored' };
  if (mapping.outcome === 'hook') return { type: 'hook', hook: mapping.hook };
  const { step, reason, place } = mapping;
  throw new InputError('hook-not-mappable', `The mapping of this integration fails at ${step}: ${reason}.`, [
    { detail: `${step}: ${reason}.`, code: 'format', ...place },
  ]);
}

/** Returns who sent a hook, for its log line. Without `integrationId` if the token is unknown. */
function describeSender(request: FastifyRequest, trustedProxies: TrustedProxies) {
  const clientAddress = toClientNetwork(request, trustedProxies);
  return request.integration === null ? { clientAddress } : { integrationId: request.integration.id, clientAddress };
}
