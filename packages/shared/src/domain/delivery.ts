import type { HookKind } from './event-kind.ts';

/** The parsed body of a hook: what an outside system reports. */
export interface HookBody {
  readonly kind: HookKind;
  /** RFC 3339 in UTC. The sender's text is kept unchanged. */
  readonly occurredAt: string;
  /** UUID, lower-case. Null if the hook names no widget. */
  readonly widgetId: string | null;
  /**
   * The sender's own JSON text without line breaks, an object. Null if there is none. The service never interprets it.
   */
  readonly payload: string | null;
}

/** One accepted hook. It is durable from the moment of its 202. */
export interface Delivery extends HookBody {
  /**
   * UUIDv8 derived from the integration and the hook's deduplication key. If the hook has no key: a new UUIDv7 (see
   * hook-event-id.ts).
   */
  readonly eventId: string;
  readonly integrationId: string;
  readonly receivedAt: Date;
  /** True if this delivery redrives a dead letter: its ledger row may then leave the state `dead`. */
  readonly redrive: boolean;
}

/**
 * The readable parts of a malformed delivery. Its event id and integration id are always readable: a text without them
 * is quarantined instead.
 */
export interface MalformedDelivery extends Omit<HookBody, 'kind'> {
  readonly eventId: string;
  readonly integrationId: string;
  /** As stored in the job, even if it is not one of `hookKinds`. Empty if it is not a text. */
  readonly kind: string;
  /** As stored in the job, even if it is not a time. Empty if it is not a text. */
  readonly occurredAt: string;
  /** Null if the hook names no widget, or if the job holds no UUID here. */
  readonly widgetId: string | null;
  /** Well-formed JSON on one line, not always an object. A text that is not JSON becomes a JSON string. */
  readonly payload: string | null;
  /** Null if it is not readable. */
  readonly receivedAt: Date | null;
}
