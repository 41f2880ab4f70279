import type { HookKind } from './event-kind.ts';
import type { HookChangedMembers, WidgetState } from './widget.ts';

/**
 * One entry of a widget's outbox (transactional outbox): an event that is stored with the widget, and not yet known to
 * be in the event log.
 *
 * Example: a run writes version 4 of a widget together with its entry. It crashes before the append. The next run finds
 * the entry in the outbox and appends the event.
 *
 * The entry holds the facts of the hook. It also holds a copy of each widget field that a later hook may change, as it
 * was right after this hook. The run reads the other fields from the widget when it writes the event.
 */
export interface OutboxEntry {
  readonly eventId: string;
  readonly kind: HookKind;
  /** The integration that posted the hook. Null for a creation over the API. */
  readonly integrationId: string | null;
  /** As the sender wrote it. For a creation over the API, the time of the creation. */
  readonly occurredAt: string;
  readonly receivedAt: Date;
  /** JSON text on one line. Null if the hook had none. */
  readonly payload: string | null;
  /** Whether the hook's effective time is before the `lastEventAt` that the widget had. */
  readonly late: boolean;
  /** Null for a creation over the API: the widget had no state before. */
  readonly stateBefore: WidgetState | null;
  /** The widget right after this event. `version` orders the entries of a widget, without holes. */
  readonly after: HookChangedMembers;
}
