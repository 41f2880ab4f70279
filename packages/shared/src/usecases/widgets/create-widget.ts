import { deriveCreationEventId } from '../../domain/event-id.ts';
import { computeFingerprint } from '../../domain/idempotency.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import { buildWidget, type NewWidget, type Widget } from '../../domain/widget.ts';
import type { WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface CreateWidgetDeps {
  readonly widgets: Pick<WidgetStore, 'insertOnce'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The text of the answer that shows a widget, and back from it the id: the route knows the form. */
  readonly answer: { readonly render: (widget: Widget) => string; readonly idOf: (text: string) => string };
  /** Asks for the widget's outbox to be published soon. Never throws; the scanner does it otherwise. */
  readonly nudge: (widgetId: string) => void;
  /** The new widget's id: a UUID that no other has. */
  readonly createId?: () => string;
}

export interface CreateWidgetInput {
  readonly newWidget: NewWidget;
  /** Who creates: idempotency keys of two principals never meet. */
  readonly principalId: string;
  readonly idempotencyKey: string | null;
}

export type CreateWidgetOutcome =
  | { readonly status: 'created' | 'replayed'; readonly widgetId: string; readonly body: string }
  /** The key was used before for another widget. */
  | { readonly status: 'conflict' };

/**
 * Creates a widget, once per idempotency key. The text of the answer is made here and kept with the widget, so that
 * a repetition is answered byte for byte the same, whatever has happened to the widget since.
 */
export function makeCreateWidget({ widgets, clock, answer, nudge, createId = createUuidV7 }: CreateWidgetDeps) {
  return async ({ newWidget, principalId, idempotencyKey }: CreateWidgetInput): Promise<CreateWidgetOutcome> => {
    const widget = buildWidget(newWidget, createId(), clock.now());
    const body = answer.render(widget);
    const idempotency =
      idempotencyKey === null
        ? null
        : {
            scope: `${principalId} example.widgets.create`,
            key: idempotencyKey,
            fingerprint: computeFingerprint(newWidget),
            body,
          };
    const outcome = await widgets.insertOnce({ widget, created: creationEntry(widget), idempotency });
    if (outcome.status === 'conflict') return outcome;
    if (outcome.status === 'replayed') return { ...outcome, widgetId: answer.idOf(outcome.body) };
    nudge(widget.id);
    return { status: 'created', widgetId: widget.id, body };
  };
}

function creationEntry(widget: Widget): OutboxEntry {
  const { state, createdAt, updatedAt, retiredAt, lastEventAt, version } = widget;
  return {
    eventId: deriveCreationEventId(widget.id),
    kind: 'created',
    integrationId: null,
    occurredAt: createdAt.toISOString(),
    receivedAt: createdAt,
    payload: null,
    late: false,
    stateBefore: null,
    after: { state, updatedAt, retiredAt, lastEventAt, version },
  };
}
