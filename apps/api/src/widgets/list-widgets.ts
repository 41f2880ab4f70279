import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { WidgetStore } from '@widget-service/shared/ports/widget-store.ts';
import type {
  ListWidgetsInput,
  makeListWidgets,
  WidgetPage,
} from '@widget-service/shared/usecases/widgets/list-widgets.ts';
import { z } from 'zod';
import { withinRequestDeadline } from '../http/request-deadline.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { toReadableItems } from '../schemas/page-body.ts';
import { documentResponses } from '../schemas/problem.ts';
import { listWidgetsQuerySchema, toWidgetBody, widgetPageSchema, widgetSchema } from './widget-schema.ts';

/** `GET /api/v1/widgets`: one page of widgets, newest first. */
export function listWidgetsRoute({ listWidgets }: { readonly listWidgets: ReturnType<typeof makeListWidgets> }): Route {
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
      const result = await withinRequestDeadline(request, listWidgets({ page, pageSize, state, asOf }), 'list widgets');
      return reply.header('link', formatLinks(result, state)).send(toWidgetPageBody(result));
    },
  });
}

function toWidgetPageBody(result: WidgetPage): z.output<typeof widgetPageSchema> {
  const { items, page, pageSize, totalItems, totalPages, hasNext, asOf, streamCursor } = result;
  return {
    ...toReadableItems(items, toWidgetBody),
    page,
    pageSize,
    totalItems,
    totalPages,
    hasNext,
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
export function getWidgetRoute({ widgets }: { readonly widgets: Pick<WidgetStore, 'get'> }): Route {
  return defineRoute({
    schema: {
      operationId: 'example.widgets.get',
      summary: 'Get a widget',
      description: 'Returns one widget. The `Location` header of a create response refers to this operation.',
      params: z.object({ id: z.string() }),
      response: documentResponses({ 200: widgetSchema }, 'not-found'),
    },
    handler: async (request) => {
      const id = parseUuid(request.params.id);
      const widget = id === null ? null : await withinRequestDeadline(request, widgets.get(id), 'get a widget');
      if (widget === null) throw new ServiceError('not-found', 'There is no such widget.');
      return toWidgetBody(widget);
    },
  });
}
