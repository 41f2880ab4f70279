import type { HookEvent } from '@widget-service/shared/domain/hook-event.ts';
import { extractMemberText } from '@widget-service/shared/domain/json-member.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import type { makeAcceptHook } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { makeVerifyHookSignature } from '../../auth/hook-signature.ts';
import type { RecordLastUsed } from '../../auth/record-last-used.ts';
import { withinRequestDeadline } from '../../http/request-deadline.ts';
import { parseIdempotencyHeader, parseWebhookIdHeader } from '../../http/request-headers.ts';
import type { ZodApp } from '../../http/zod-validation.ts';
import { hookEventSchema } from '../../schemas/hook-event.ts';
import { documentResponses } from '../../schemas/problem.ts';

/** From here on, a hook's wait for its token or its limit is told apart from none. */
const noticeableMs = 20;

export interface ReceiveHookRouteDeps {
  readonly acceptHook: ReturnType<typeof makeAcceptHook>;
  readonly recordLastUsed: RecordLastUsed;
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<Metrics, 'hooksAccepted' | 'hooksRefused'>;
}

/** `POST /api/v1/events/hooks/{token}`: takes a hook; 202 means that it is durably queued. */
export function registerReceiveHook(
  app: ZodApp,
  { acceptHook, recordLastUsed, clock, metrics }: ReceiveHookRouteDeps,
): void {
  app.post('/api/v1/events/hooks/:token', {
    config: { policy: 'hook-token', rateLimit: 'hooks', hasFreeFormBody: true, verifyBody: makeSignatureCheck(clock) },
    schema: {
      operationId: 'example.events.receive',
      summary: 'Receive an inbound hook',
      description:
        'Takes an event that an outside system tells of. 202 means that it is durably queued: it will show on the streams, and on its widget, once. A hook that is repeated, under the same `webhook-id`, else the same `Idempotency-Key`, else with the same content, is one event for 7 days; repeat until you get a 202. What a permanent refusal (400) says should be corrected before another try.',
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'Idempotency-Key'],
      body: hookEventSchema,
      response: documentResponses(
        { 202: { description: 'The event was accepted.', body: null, headers: ['Webhook-Event-Id'] } },
        'invalid-hook-signature',
      ),
    },
    onResponse: (request, _reply, done) => {
      if (request.problemCode !== null) metrics.hooksRefused.inc({ code: request.problemCode });
      done();
    },
    handler: async (request, reply) => {
      const { integration } = request;
      if (integration === null) throw new Error('the policy of the route sets the integration');
      const event = toHookEvent(request.body, request.bodyText ?? '');
      const acceptance = acceptHook({ integration, event, ...parseDeduplicationKeys(request) });
      // The gate's own bound is enough for nearly all, and one timer there serves them together.
      const hasWaited = request.elapsedBeforeBodyMs >= noticeableMs;
      const { eventId } = await (hasWaited ? withinRequestDeadline(request, acceptance, 'accept a hook') : acceptance);
      metrics.hooksAccepted.inc();
      recordLastUsed(integration.id);
      request.log.info({ requestId: request.id, eventId, integrationId: integration.id }, 'hook.accepted');
      request.isLogged = true;
      return reply.code(202).header('webhook-event-id', eventId).send();
    },
  });
}

/** Verifies the signature of a hook over the bytes of its body, if its token requires one. */
function makeSignatureCheck(clock: Pick<Clock, 'now'>) {
  const verifySignature = makeVerifyHookSignature();
  return (request: FastifyRequest, body: Uint8Array): void => {
    const { hookToken: grantToken, headers } = request;
    if (grantToken === null || grantToken.sealedSecret === null) return;
    const { token } = request.params as { token: string };
    verifySignature({ token, grantToken, headers, body, now: clock.now() });
  };
}

/** The payload is carried as the text it came in: a number keeps its digits, and no sender's key becomes ours. */
function toHookEvent(body: z.output<typeof hookEventSchema>, text: string): HookEvent {
  const hasPayload = body.payload !== undefined && body.payload !== null;
  return {
    kind: body.kind,
    occurredAt: body.occurredAt,
    widgetId: body.widgetId ?? null,
    payload: hasPayload ? extractMemberText(text, 'payload') : null,
  };
}

/** By what a repetition of the hook is recognised: the first of the two that is there. */
function parseDeduplicationKeys(request: FastifyRequest): { webhookId: string | null; idempotencyKey: string | null } {
  const webhookId = parseWebhookIdHeader(request);
  return { webhookId, idempotencyKey: webhookId === null ? parseIdempotencyHeader(request) : null };
}
