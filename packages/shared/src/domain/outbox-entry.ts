import type { HookKind } from './hook-event.ts';
import type { Widget, WidgetState } from './widget.ts';

/**
 * An event that is decided and stored with its widget, but not yet known to be in the event log.
 *
 * It holds what the event must say that the widget's later hooks may change; name, labels, owner and `createdAt`
 * never change and are taken from the widget when the event is written.
 */
export interface OutboxEntry {
  readonly eventId: string;
  readonly kind: HookKind;
  /** The integration that posted the hook; null for a creation over the API. */
  readonly integrationId: string | null;
  /** As the sender wrote it. */
  readonly occurredAt: string;
  readonly receivedAt: Date;
  readonly payload: string | null;
  readonly late: boolean;
  /** Null for a creation over the API: there was no state before. */
  readonly stateBefore: WidgetState | null;
  /** The widget as it was right after this event. `version` orders the entries of a widget, without holes. */
  readonly after: Pick<Widget, 'state' | 'updatedAt' | 'retiredAt' | 'lastEventAt' | 'version'>;
}
