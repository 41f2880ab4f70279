import type { Delivery } from './hook-event.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { parseUtcTimestamp } from './timestamp.ts';
import type { Widget } from './widget.ts';

export interface Effect {
  readonly widget: Widget;
  /** One entry per applied hook, in the order of application. */
  readonly entries: readonly OutboxEntry[];
}

/**
 * What a batch's hooks do to one widget. Every kind adds 1 to `version` and moves `lastEventAt` to the maximum;
 * `retired` retires it, with the earliest `retiredAt`. The widget after a set of hooks is the same for every order
 * of them, but for who was late and who changed the state.
 */
export function applyHooks(widget: Widget, deliveries: readonly Delivery[]): Effect {
  const entries: OutboxEntry[] = [];
  let current = widget;
  for (const delivery of deliveries) {
    const before = current;
    const usedTime = effectiveTime(delivery);
    current = applyHook(before, delivery, usedTime);
    entries.push({
      eventId: delivery.eventId,
      kind: delivery.kind,
      integrationId: delivery.integrationId,
      occurredAt: delivery.occurredAt,
      receivedAt: delivery.receivedAt,
      payload: delivery.payload,
      late: before.lastEventAt !== null && usedTime < before.lastEventAt,
      stateBefore: before.state,
      after: {
        state: current.state,
        updatedAt: current.updatedAt,
        retiredAt: current.retiredAt,
        lastEventAt: current.lastEventAt,
        version: current.version,
      },
    });
  }
  return { widget: current, entries };
}

function applyHook(widget: Widget, delivery: Delivery, usedTime: Date): Widget {
  const isRetirement = delivery.kind === 'retired';
  return {
    ...widget,
    state: isRetirement ? 'retired' : widget.state,
    retiredAt: isRetirement ? earliest(widget.retiredAt, usedTime) : widget.retiredAt,
    lastEventAt: latest(widget.lastEventAt, usedTime),
    updatedAt: latest(widget.updatedAt, delivery.receivedAt),
    version: widget.version + 1,
  };
}

/** A sender's clock may run ahead: a time after the receipt counts as the time of receipt. */
function effectiveTime(delivery: Delivery): Date {
  const occurredAtMs = parseUtcTimestamp(delivery.occurredAt) ?? delivery.receivedAt.getTime();
  return new Date(Math.min(occurredAtMs, delivery.receivedAt.getTime()));
}

function earliest(known: Date | null, other: Date): Date {
  return known !== null && known <= other ? known : other;
}

function latest(known: Date | null, other: Date): Date {
  return known !== null && known >= other ? known : other;
}
