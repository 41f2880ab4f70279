import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { type Permit, unlimited } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import type { makeCreateWidget } from '@widget-service/shared/usecases/widgets/create-widget.ts';
import { noteAudit } from '../audit/audit.ts';
import { toRateLimitedError } from '../caller/limits/rate-limits.ts';
import { requirePrincipalId } from '../caller/policy.ts';
import { withinRequestDeadline } from '../http/request-deadline.ts';
import { parseIdempotencyHeader } from '../http/request-headers.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { documentResponses } from '../schemas/problem.ts';
import { newWidgetSchema, widgetSchema } from './widget-schema.ts';

export interface CreateWidgetRouteDeps {
  readonly createWidget: ReturnType<typeof makeCreateWidget>;
  readonly takeWidgetPermit: (provisionTokenId: string) => Promise<Permit>;
}

/** `POST /api/v1/widgets`: creates a widget, once per idempotency key. */
export function createWidgetRoute({ createWidget, takeWidgetPermit }: CreateWidgetRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.widgets.create',
      summary: 'Create a widget',
      description:
        'Send an `Idempotency-Key` to make the request safe to repeat: the service creates one widget, and every repetition gets the first response body, byte for byte. A key is valid for as long as its widget exists. The same key with another body gives 409. A provision token creates a bounded number of widgets an hour; beyond it, the response is 429 and says the bound.',
      parameters: ['Idempotency-Key'],
      body: newWidgetSchema,
      response: documentResponses(
        {
          201: {
            description: 'The created widget.',
            body: widgetSchema,
            headers: ['Location'],
            optionalHeaders: ['Idempotent-Replayed'],
          },
        },
        'idempotency-key-reused',
      ),
    },
    handler: async (request, reply) => {
      // Scripts may create thousands a second. The request log names their token.
      const isScript = request.caller?.kind !== 'session';
      if (isScript) noteAudit(request, { isSkipped: true });
      const permit = isScript ? await takeWidgetPermit(requirePrincipalId(request)) : unlimited;
      if (permit.status === 'rate-limited') {
        const bound = `A provision token creates at most ${permit.limit.burst} widgets an hour. Wait as long as Retry-After says.`;
        throw toRateLimitedError(reply, 'widgets', permit, bound);
      }
      const creation = createWidget({
        newWidget: request.body,
        principalId: requirePrincipalId(request),
        idempotencyKey: parseIdempotencyHeader(request),
      });
      const outcome = await withinRequestDeadline(request, creation, 'create a widget').catch(
        async (error: unknown) => {
          // Otherwise a script that repeats its creates through an outage has none left after it.
          await permit.giveBack();
          throw error;
        },
      );
      if (outcome.status !== 'created') await permit.giveBack();
      if (outcome.status === 'conflict') {
        throw new ServiceError('idempotency-key-reused', 'This idempotency key was used before, with another body.');
      }
      if (outcome.status === 'replayed') reply.header('idempotent-replayed', 'true');
      const { name, labels } = request.body;
      const { createdAt } = JSON.parse(outcome.body) as { readonly createdAt: string };
      // A replay is the same event, which is stored once. It is the only one if the first answer was a 503.
      const event = { eventId: outcome.widgetId, startedAt: new Date(createdAt) };
      noteAudit(request, { ...event, targetId: outcome.widgetId, targetName: name, after: { name, labels } });
      return reply
        .code(201)
        .header('location', `widgets/${outcome.widgetId}`)
        .header('content-type', 'application/json; charset=utf-8')
        .send(outcome.body);
    },
  });
}
