import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { WidgetBody } from './widget-schema.ts';

/** Converts a widget to the form that the API returns. */
export function toWidgetBody(widget: Widget): WidgetBody {
  const { id, name, state, labels, owner, createdAt, updatedAt, retiredAt, lastEventAt, version } = widget;
  return {
    id,
    name,
    state,
    labels: [...labels],
    owner: owner === null ? null : { userId: owner.userId, email: owner.email, notify: owner.notify },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
    lastEventAt: lastEventAt?.toISOString() ?? null,
    version,
  } satisfies Record<keyof Widget, unknown>;
}

/** Renders a widget as the body of the 201 response, a JSON text. */
export function renderWidgetBody(widget: Widget): string {
  return JSON.stringify(toWidgetBody(widget));
}
