import type { HookBody } from '@widget-service/shared/domain/delivery.ts';
import { extractMemberText } from '@widget-service/shared/domain/json.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { HookCountStore } from '@widget-service/shared/ports/hook-count-store.ts';
import type { RefusalStore } from '@widget-service/shared/ports/refusal-store.ts';
import type { SampleStore } from '@widget-service/shared/ports/sample-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { makeAcceptHook } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { TrustedProxies } from '../http/forwarding.ts';
import { remainingRequestMs } from '../http/request-deadline.ts';
import { parseIdempotencyHeader, parseWebhookIdHeader } from '../http/request-headers.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RecordLastUsed } from '../revocation/record-last-used.ts';
import { documentResponses } from '../schemas/problem.ts';
import { makeForeignHookSteps } from './foreign/foreign-hook-steps.ts';
import { SampleRecorder } from './foreign/sample-recorder.ts';
import { HookCounter } from './hook-counter.ts';
import { hookEventSchema } from './hook-event-schema.ts';
import { makeVerifyHookSignature } from './hook-signature.ts';
import { describeSender, makeRecordRefusal, RefusalRecorder } from './refusal-recorder.ts';

export interface ReceiveHookRouteDeps {
  readonly acceptHook: ReturnType<typeof makeAcceptHook>;
  readonly recordLastUsed: RecordLastUsed;
  readonly refusals: Pick<RefusalStore, 'add'>;
  readonly samples: Pick<SampleStore, 'add'>;
  readonly hookCounts: Pick<HookCountStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<Metrics, 'hooksAccepted' | 'hookBytes' | 'hooksIgnored' | 'hooksRefused'>;
  readonly logger: Logger;
  readonly trustedProxies: TrustedProxies;
  readonly publicBaseUrl: string | null;
}

/** `POST /api/v1/events/hooks/{token}`: accepts a hook. 202 means that it is durably queued. */
export function receiveHookRoute({
  acceptHook,
  recordLastUsed,
  refusals,
  samples,
  hookCounts,
  clock,
  metrics,
  logger,
  trustedProxies,
  publicBaseUrl,
}: ReceiveHookRouteDeps): Route {
  const log = new AcceptedHookLog(logger);
  const recorder = new RefusalRecorder({ refusals, logger });
  const counter = new HookCounter({ hookCounts, clock, logger });
  const recordRefusal = makeRecordRefusal({ recorder, clock, trustedProxies });
  const sampleRecorder = new SampleRecorder({ samples, clock, logger });
  const foreign = makeForeignHookSteps({ clock, metrics, publicBaseUrl, samples: sampleRecorder });
  return defineRoute({
    onClose: async () => {
      log.endSecond();
      await Promise.all([recorder.close(), counter.close(), sampleRecorder.close()]);
    },
    onRequest: foreign.acceptMediaType,
    preValidation: foreign.answer,
    config: {
      hasFreeFormBody: true,
      takeBody: foreign.takeBody,
      verifyBody: makeSignatureCheck(clock),
      logFields: (request) => describeSender(request, trustedProxies),
    },
    schema: {
      operationId: 'example.events.receive',
      summary: 'Receive an inbound hook',
      description:
        'Accepts a hook of an outside system. 202 means that the hook is durably queued: it is applied to its widget once, and becomes one event on the streams. If it cannot be processed, it becomes a dead letter, which `GET /api/v1/integrations/{id}/deliveries` shows.\n\nRepeat a hook until you get 202. As long as the service keeps the delivery (7 days by default), hooks of one integration with the same `webhook-id` are one event. For hooks without a `webhook-id`, the `Idempotency-Key` decides. With neither, hooks with the same content are one event if the integration has `deduplicateByContent` and the hook has a `widgetId` or a `payload`; otherwise each hook is an event of its own. After a 400, correct the request before you send it again.\n\nAn integration with a `source` accepts what its sender sends instead of this body, also as a form or as CloudEvents: its `mapping` makes a hook of it.',
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'Idempotency-Key'],
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
    },
    onResponse: (request, _reply, done) => {
      const { problem } = request;
      if (problem !== null) {
        metrics.hooksRefused.inc({ code: problem.code });
        if (request.integration !== null) counter.count(request.integration.id, 'refused');
        recordRefusal(request, problem);
      }
      done();
    },
    handler: async (request, reply) => {
      const { integration } = request;
      if (integration === null) throw new Error('the policy hook-token did not set request.integration');
      request.span?.setAttributes({ 'widget.integration.id': integration.id });
      const body = toHookBody(request.body, request.bodyText ?? '');
      const traceContext = request.span?.context ?? null;
      const { webhookId, idempotencyKey } = foreign.findKeys(request) ?? parseDeduplicationKeys(request);
      const withinMs = remainingRequestMs(request);
      const { eventId } = await acceptHook({ integration, body, webhookId, idempotencyKey, withinMs, traceContext });
      metrics.hooksAccepted.inc();
      metrics.hookBytes.inc(body.payload?.length ?? 0);
      counter.count(integration.id, 'accepted');
      request.span?.setAttributes({ 'widget.event.id': eventId });
      recordLastUsed(integration.id);
      log.record({ requestId: request.id, eventId, integrationId: integration.id });
      // It replaces the line of the request log.
      request.isLogged = true;
      // Not returned: Fastify would wait for the response that was just sent, which takes three more promises.
      reply.code(202).header('webhook-event-id', eventId).send();
    },
  });
}

/** Verifies the signature of a hook over the bytes of its body, if the integration requires one. */
function makeSignatureCheck(clock: Pick<Clock, 'now'>) {
  const verifySignature = makeVerifyHookSignature();
  return (request: FastifyRequest, body: Uint8Array): void => {
    const { hookToken: grantToken, headers } = request;
    if (grantToken === null) throw new Error('the policy hook-token did not set request.hookToken');
    if (grantToken.sealedSecret === null) return;
    const { token } = request.params as { token: string };
    verifySignature({ token, grantToken, headers, body, now: clock.now() });
    request.isSenderVerified = true;
  };
}

/**
 * Keeps the payload as the text that was sent: numbers keep their digits, and keys such as `__proto__` never get into
 * objects of the service. `text` is the text of the whole body.
 */
function toHookBody(body: z.output<typeof hookEventSchema>, text: string): HookBody {
  const hasPayload = body.payload !== undefined && body.payload !== null;
  return {
    kind: body.kind,
    occurredAt: body.occurredAt,
    widgetId: body.widgetId ?? null,
    payload: hasPayload ? extractMemberText(text, 'payload') : null,
  };
}

/**
 * Returns the key that identifies repetitions of the hook: the `webhook-id` if there is one, else the
 * `Idempotency-Key`. At most one of the two is not null. An `Idempotency-Key` beside a `webhook-id` is not even parsed.
 */
function parseDeduplicationKeys(request: FastifyRequest): { webhookId: string | null; idempotencyKey: string | null } {
  const webhookId = parseWebhookIdHeader(request);
  return { webhookId, idempotencyKey: webhookId === null ? parseIdempotencyHeader(request) : null };
}

const linesPerSecondMax = 100;

/** What the log says about an accepted hook. */
export interface AcceptedHookFields {
  readonly requestId: string;
  readonly eventId: string;
  readonly integrationId: string;
}

/**
 * Logs accepted hooks: a line `hook.accepted` for each, but at most 100 lines in a second. At the end of such a second,
 * the line `hooks.accepted` says how many hooks got no line (`unlogged`). At the level `debug` every hook gets one.
 *
 * A line for each hook would be a sixth of the processor time of accepting it.
 */
export class AcceptedHookLog {
  readonly #logger: Pick<Logger, 'info'>;
  readonly #linesMax: number;
  /** Runs while a second is being counted. */
  #timer: NodeJS.Timeout | undefined;
  #hooksInSecond = 0;

  constructor(logger: Pick<Logger, 'info' | 'isLevelEnabled'>) {
    this.#logger = logger;
    this.#linesMax = logger.isLevelEnabled('debug') ? Number.POSITIVE_INFINITY : linesPerSecondMax;
  }

  record(hook: AcceptedHookFields): void {
    this.#timer ??= setTimeout(() => this.endSecond(), 1_000).unref();
    this.#hooksInSecond += 1;
    if (this.#hooksInSecond <= this.#linesMax) this.#logger.info(hook, 'hook.accepted');
  }

  /** Ends the current second early. Call it before the process exits: otherwise its last count is lost. */
  endSecond(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unlogged = this.#hooksInSecond - this.#linesMax;
    this.#hooksInSecond = 0;
    if (unlogged > 0) this.#logger.info({ unlogged }, 'hooks.accepted');
  }
}
