import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { unlimited } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { createWidget } from '@widget-service/shared/usecases/widgets/create-widget.ts';
import type { ListWidgetsInput, WidgetPage } from '@widget-service/shared/usecases/widgets/list-widgets.ts';
import { z } from 'zod';
import { noteAudit } from '../audit/audit.ts';
import { requirePrincipalId } from '../caller/enforce-policy.ts';
import { toRateLimitedError } from '../caller/limits/rate-limits.ts';
import { parseIdempotencyHeader } from '../http/request-headers.ts';
import { withinRequestDeadline } from '../http/request-state.ts';
import { idParamsSchema, requireById } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { pageQuerySchema, queryTime, toPageBody, toPageSchema } from '../schemas/page.ts';
import { documentResponses } from '../schemas/problem.ts';
import { timestamp } from '../schemas/text.ts';
import { newWidgetSchema, renderWidgetBody, toWidgetBody, widgetSchema } from '../schemas/widget.ts';

/** `POST /api/v1/widgets`: creates a widget, once per idempotency key. */
export function createWidgetRoute(deps: RouteDeps): Route {
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
      const permit = isScript ? await deps.takeWidgetPermit(requirePrincipalId(request)) : unlimited;
      if (permit.status === 'rate-limited') {
        const bound = `A provision token creates at most ${permit.limit.burst} widgets an hour. Wait as long as Retry-After says.`;
        throw toRateLimitedError(reply, 'widgets', permit, bound);
      }
      const creation = createWidget(deps, {
        newWidget: request.body,
        principalId: requirePrincipalId(request),
        idempotencyKey: parseIdempotencyHeader(request),
        renderBody: renderWidgetBody,
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

const listWidgetsQuerySchema = pageQuerySchema.extend({
  state: z.enum(widgetStates).optional().describe('Only widgets in this state.'),
  asOf: queryTime(
    'Only widgets created up to this time, in UTC. If you leave it out, the service chooses a time and returns it. Send that time with the requests for further pages (as the `Link` header does), so that new widgets do not shift the pages.',
  ),
});

const widgetPageSchema = toPageSchema(widgetSchema)
  .extend({
    asOf: timestamp.describe('Only widgets created up to this time are listed and counted.'),
    streamCursor: z
      .string()
      .nullable()
      .meta({
        description:
          'Send it as `lastEventId` to open a stream that misses no event after this list. Its first events may already be part of the list: compare `version`. Null until the server has read the event log for the first time.',
        examples: ['k3f9.1764000000000.1284'],
      }),
  })
  .meta({
    id: 'PagedResultWidget',
    description:
      'One page of widgets, newest first. `hasNext` is always exact. `totalItems` is exact up to 1 000; above that it may be five seconds old. If counting fails or takes longer than about a second, it is the last known total, or, without one, a lower bound.',
  });

/** `GET /api/v1/widgets`: one page of widgets, newest first. */
export function listWidgetsRoute({ listWidgets }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.widgets.list',
      summary: 'List widgets',
      description: 'Returns one page of widgets, newest first.',
      querystring: listWidgetsQuerySchema,
      response: documentResponses({ 200: { body: widgetPageSchema, headers: ['Link'] } }),
    },
    handler: async (request, reply) => {
      const { page, pageSize, state = null, asOf = null } = request.query;
      const result = await withinRequestDeadline(
        request,
        listWidgets.read({ page, pageSize, state, asOf }),
        'list widgets',
      );
      return reply.header('link', formatLinks(result, state)).send(toWidgetPageBody(result));
    },
  });
}

function toWidgetPageBody(result: WidgetPage): z.output<typeof widgetPageSchema> {
  const { asOf, streamCursor } = result;
  return {
    ...toPageBody(result, result, toWidgetBody),
    asOf: asOf.toISOString(),
    streamCursor: streamCursor === null ? null : formatPosition(streamCursor),
  };
}

/** Formats the `Link` header (RFC 8288): references relative to this page, all with the same `asOf`. */
function formatLinks(result: WidgetPage, state: ListWidgetsInput['state']): string {
  const last = Math.max(result.totalPages, 1);
  const pages = {
    first: 1,
    ...(result.page > 1 ? { prev: Math.min(result.page - 1, last) } : {}),
    ...(result.hasNext ? { next: result.page + 1 } : {}),
    last,
  };
  return Object.entries(pages)
    .map(([relation, page]) => {
      const query = new URLSearchParams({
        page: String(page),
        pageSize: String(result.pageSize),
        ...(state === null ? {} : { state }),
        asOf: result.asOf.toISOString(),
      });
      return `<?${query}>; rel="${relation}"`;
    })
    .join(', ');
}

/** `GET /api/v1/widgets/{id}`: one widget. */
export function getWidgetRoute({ widgets }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.widgets.get',
      summary: 'Get a widget',
      description: 'Returns one widget. The `Location` header of a create response refers to this operation.',
      params: idParamsSchema,
      response: documentResponses({ 200: widgetSchema }, 'not-found'),
    },
    handler: async (request) => {
      const reading = requireById(widgets, request.params, 'widget');
      return toWidgetBody(await withinRequestDeadline(request, reading, 'get a widget'));
    },
  });
}
