import type { HookEvent } from '@widget-service/shared/domain/hook-event.ts';
import { textOfMember } from '@widget-service/shared/domain/json-member.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import type { createAcceptHook } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idempotencyKeyOf } from '../../http/idempotency-header.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { hookEventSchema } from '../../schemas/hook-event.ts';
import { answers } from '../../schemas/problem.ts';

export interface ReceiveHookRouteDeps {
  readonly acceptHook: ReturnType<typeof createAcceptHook>;
  readonly metrics: Pick<Metrics, 'hooksAccepted' | 'hooksRefused'>;
}

/** `POST /api/v1/events/hooks/{token}`: takes a hook; 202 means that it is durably queued. */
export function registerReceiveHook(app: ZodApp, { acceptHook, metrics }: ReceiveHookRouteDeps): void {
  app.post('/api/v1/events/hooks/:token', {
    config: { policy: 'hook-token', hasFreeFormBody: true },
    schema: {
      operationId: 'example.events.receive',
      summary: 'Receive an inbound hook',
      security: [],
      body: hookEventSchema,
      response: answers({ 202: z.null().describe('The event was accepted.') }, 400, 429, 503),
    },
    onResponse: (request, _reply, done) => {
      if (request.problemCode !== null) metrics.hooksRefused.inc({ code: request.problemCode });
      done();
    },
    handler: async (request, reply) => {
      const { integration } = request;
      if (integration === null) throw new Error('the policy of the route sets the integration');
      const { eventId } = await acceptHook({
        integration,
        event: toHookEvent(request.body, request.bodyText ?? ''),
        ...keysOf(request),
      });
      metrics.hooksAccepted.inc();
      request.log.info({ requestId: request.id, eventId, integrationId: integration.id }, 'hook.accepted');
      request.isLogged = true;
      return reply.code(202).header('webhook-event-id', eventId).send();
    },
  });
}

/** The payload is carried as the text it came in: a number keeps its digits, and no sender's key becomes ours. */
function toHookEvent(body: z.output<typeof hookEventSchema>, text: string): HookEvent {
  const hasPayload = body.payload !== undefined && body.payload !== null;
  return {
    kind: body.kind,
    occurredAt: body.occurredAt,
    widgetId: body.widgetId ?? null,
    payload: hasPayload ? textOfMember(text, 'payload') : null,
  };
}

/** By what a repetition of the hook is recognised: the first of the two that is there. */
function keysOf(request: FastifyRequest): { webhookId: string | null; idempotencyKey: string | null } {
  const webhookId = request.headers['webhook-id']?.toString() ?? '';
  return webhookId === ''
    ? { webhookId: null, idempotencyKey: idempotencyKeyOf(request) }
    : { webhookId, idempotencyKey: null };
}
