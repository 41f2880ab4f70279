import type { Delivery } from './delivery.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { parseUtcTimestamp } from './timestamp.ts';
import type { HookChangedMembers, Widget } from './widget.ts';

export interface Effect {
  readonly widget: Widget;
  /** One entry per applied hook, in the order of application. */
  readonly entries: readonly OutboxEntry[];
}

/**
 * Computes what `deliveries` do to one widget. All of them name this widget, and none is a duplicate.
 *
 * The effective time of a hook is its `occurredAt`, or its `receivedAt` if that is earlier. Each hook adds 1 to
 * `version`. It raises `lastEventAt` to its effective time and `updatedAt` to its `receivedAt`, but never lowers them.
 * A `retired` hook also sets `state`, and `retiredAt` to the better of the two times (`pickRetirement`).
 * The kinds `created` and `updated` change nothing else.
 *
 * The order of the hooks does not change the resulting widget. It changes only the entries: their `after`, which of
 * them are `late`, and which one changed the state.
 */
export function applyHooks(widget: Widget, deliveries: readonly Delivery[]): Effect {
  const entries: OutboxEntry[] = [];
  let current = widget;
  for (const delivery of deliveries) {
    const before = current;
    const effectiveTime = computeEffectiveTime(delivery);
    const after = applyHook(before, delivery, effectiveTime);
    current = { ...before, ...after };
    entries.push({
      eventId: delivery.eventId,
      kind: delivery.kind,
      integrationId: delivery.integrationId,
      occurredAt: delivery.occurredAt,
      receivedAt: delivery.receivedAt,
      payload: delivery.payload,
      late: before.lastEventAt !== null && effectiveTime < before.lastEventAt,
      stateBefore: before.state,
      after,
    });
  }
  return { widget: current, entries };
}

function applyHook(widget: Widget, delivery: Delivery, effectiveTime: Date): HookChangedMembers {
  const isRetirement = delivery.kind === 'retired';
  return {
    state: isRetirement ? 'retired' : widget.state,
    retiredAt: isRetirement ? pickRetirement(widget, effectiveTime) : widget.retiredAt,
    lastEventAt: pickLater(widget.lastEventAt, effectiveTime),
    // The service's own clock: when it learned of the change.
    updatedAt: pickLater(widget.updatedAt, delivery.receivedAt),
    version: widget.version + 1,
  };
}

/** Ten years. A clock that lost its time starts at 1970, 1980, 2000 or 2001: further back than most histories. */
const historyMs = 315_576_000_000;

/**
 * Returns the better of two times of retirement: the earlier one. A time more than ten years before the widget's
 * creation probably comes from a wrong clock. It counts only while there is no other, and of two such times the later
 * one counts. So a later hook corrects a wrong time, whatever the order of the hooks.
 */
function pickRetirement({ createdAt, retiredAt }: Widget, candidate: Date): Date {
  if (retiredAt === null) return candidate;
  const [earlier, later] = retiredAt <= candidate ? [retiredAt, candidate] : [candidate, retiredAt];
  return earlier.getTime() < createdAt.getTime() - historyMs ? later : earlier;
}

/** A sender's clock may run ahead, so an `occurredAt` after `receivedAt` counts as `receivedAt`. */
function computeEffectiveTime(delivery: Delivery): Date {
  // The fallback only satisfies the type: the queue's codec returns no delivery whose `occurredAt` cannot be parsed.
  const occurredAtMs = parseUtcTimestamp(delivery.occurredAt) ?? delivery.receivedAt.getTime();
  return new Date(Math.min(occurredAtMs, delivery.receivedAt.getTime()));
}

function pickLater(current: Date | null, candidate: Date): Date {
  return current !== null && current >= candidate ? current : candidate;
}
