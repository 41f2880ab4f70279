export const hookKinds = ['created', 'updated', 'retired'] as const;
export type HookKind = (typeof hookKinds)[number];

/** A hook's body, normalised: what an outside system says happened. */
export interface HookEvent {
  readonly kind: HookKind;
  /** RFC 3339 in UTC, exactly as the sender wrote it. */
  readonly occurredAt: string;
  /** UUID, lower-case; null when the hook concerns no widget. */
  readonly widgetId: string | null;
  /** The JSON text the sender wrote (an object), on one line; null when there is none. Never interpreted. */
  readonly payload: string | null;
}

/** One accepted hook: durable from the moment it was answered 202. */
export interface Delivery extends HookEvent {
  /** UUIDv8 derived from the integration and the hook's de-duplication key (see event-id.ts). */
  readonly eventId: string;
  readonly integrationId: string;
  readonly receivedAt: Date;
  /** Set when a dead delivery is tried again: its ledger row may then leave the state `dead`. */
  readonly redrive: boolean;
}

/** What can be read of a delivery that is malformed. Which delivery it is, and whose, can be told of every one. */
export interface MalformedDelivery extends Omit<HookEvent, 'kind'> {
  readonly eventId: string;
  readonly integrationId: string;
  /** As it stands there, also when no version knows it; empty when there is none. */
  readonly kind: string;
  /** As it stands there, also when it is no time; empty when there is none. */
  readonly occurredAt: string;
  /** Always well-formed JSON: a text that is not becomes a JSON string. */
  readonly payload: string | null;
  readonly receivedAt: Date | null;
}
