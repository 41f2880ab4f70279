import { deriveCreationEventId } from '../../domain/hook-event-id.ts';
import { computeFingerprint } from '../../domain/idempotent-create.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import { buildWidget, type NewWidget, pickHookChanged, type Widget } from '../../domain/widget.ts';
import type { WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface CreateWidgetDeps {
  readonly widgets: Pick<WidgetStore, 'insertOnce'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Renders a widget as the body of the 201 response. */
  readonly renderBody: (widget: Widget) => string;
  /** Enqueues a nudge, without waiting. Never throws: if the nudge is lost, the scanner finds the outbox. */
  readonly nudge: (widgetId: string) => void;
  /** Creates the new widget's id, a unique UUID. */
  readonly createId?: () => string;
}

export interface CreateWidgetInput {
  readonly newWidget: NewWidget;
  /** Part of the idempotency key's scope: two principals may use the same key for different widgets. */
  readonly principalId: string;
  readonly idempotencyKey: string | null;
}

export type CreateWidgetOutcome =
  | { readonly status: 'created' | 'replayed'; readonly widgetId: string; readonly body: string }
  /** The key was used before with another body. */
  | { readonly status: 'conflict' };

/**
 * Makes the function that creates a widget, once per idempotency key. The rendered body is stored with the widget. A
 * repeated request gets the same bytes, even if hooks have changed the widget since. Throws `UnavailableError`: the
 * widget may exist then, and repeating the call with the same key is safe.
 */
export function makeCreateWidget({ widgets, clock, renderBody, nudge, createId = createUuidV7 }: CreateWidgetDeps) {
  return async ({ newWidget, principalId, idempotencyKey }: CreateWidgetInput): Promise<CreateWidgetOutcome> => {
    const widget = buildWidget(newWidget, createId(), clock.now());
    const body = renderBody(widget);
    const idempotency =
      idempotencyKey === null
        ? null
        : {
            // The route's operation id. Stored records contain it, so it must never change.
            scope: `${principalId} example.widgets.create`,
            key: idempotencyKey,
            fingerprint: computeFingerprint(newWidget),
            body,
          };
    const outcome = await widgets.insertOnce({ widget, created: buildCreationEntry(widget), idempotency });
    if (outcome.status !== 'created') return outcome;
    nudge(widget.id);
    return { status: 'created', widgetId: widget.id, body };
  };
}

function buildCreationEntry(widget: Widget): OutboxEntry {
  return {
    eventId: deriveCreationEventId(widget.id),
    kind: 'created',
    integrationId: null,
    occurredAt: widget.createdAt.toISOString(),
    receivedAt: widget.createdAt,
    payload: null,
    late: false,
    stateBefore: null,
    after: pickHookChanged(widget),
  };
}
