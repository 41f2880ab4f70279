import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { WidgetStore } from '@widget-service/shared/ports/widget-store.ts';
import { z } from 'zod';
import { withinRequestDeadline } from '../http/request-deadline.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { documentResponses } from '../schemas/problem.ts';
import { toWidgetBody } from './widget-body.ts';
import { widgetSchema } from './widget-schema.ts';

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
