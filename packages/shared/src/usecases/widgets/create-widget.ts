import { deriveCreationEventId } from '../../domain/hook-event-id.ts';
import { computeFingerprint } from '../../domain/idempotent-create.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import { buildWidget, type NewWidget, pickHookChanged, type Widget } from '../../domain/widget.ts';
import type { WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { GroupCommit } from '../hooks/group-commit.ts';

export interface CreateWidgetDeps {
  readonly widgets: Pick<WidgetStore, 'insertOnce'>;
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface CreateWidgetInput {
  readonly newWidget: NewWidget;
  /** Part of the idempotency key's scope: two principals may use the same key for different widgets. */
  readonly principalId: string;
  readonly idempotencyKey: string | null;
  /** Renders a widget as the body of the 201 response. */
  readonly renderBody: (widget: Widget) => string;
}

export type CreateWidgetOutcome =
  | { readonly status: 'created' | 'replayed'; readonly widgetId: string; readonly body: string }
  /** The key was used before to create another widget (`computeFingerprint`). */
  | { readonly status: 'conflict' };

/**
 * Creates a widget, once per idempotency key. The rendered body is stored with the widget. A repeated request gets the
 * same bytes, even if hooks have changed the widget since. `createId` creates the id of the widget, a unique UUID.
 * Throws `UnavailableError`: the widget may exist then, and repeating the call with the same key is safe.
 */
export async function createWidget(
  { widgets, groupCommit, clock }: CreateWidgetDeps,
  { newWidget, principalId, idempotencyKey, renderBody }: CreateWidgetInput,
  createId = createUuidV7,
): Promise<CreateWidgetOutcome> {
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
  // Not awaited, and failures are ignored: if the nudge is lost, the scanner finds the outbox.
  groupCommit.submit({ type: 'nudge', widgetId: widget.id }).catch(() => undefined);
  return { status: 'created', widgetId: widget.id, body };
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
