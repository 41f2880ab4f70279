import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { WidgetBody } from '../../schemas/widget.ts';

/** A widget in the form that is returned. */
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
  };
}

/** The text of a 201, and back from it the widget's id. */
export const widgetAnswer = {
  render: (widget: Widget): string => JSON.stringify(toWidgetBody(widget)),
  idOf: (text: string): string => (JSON.parse(text) as WidgetBody).id,
};
