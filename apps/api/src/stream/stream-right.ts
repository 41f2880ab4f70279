import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';

/** Whose token opened a stream: a subscription, or a person's session, by the session's digest. */
export type StreamHolder =
  | { readonly kind: 'subscription'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string; readonly userId: string };

/** What an open stream stands on. */
export interface StreamRight {
  readonly holder: StreamHolder;
  /** SHA-256 of the token that opened it, hexadecimal. */
  readonly tokenDigest: string;
  /** What the stream lets through. */
  readonly filter: EventFilter;
  /** From when on the right is no longer good; null: no such time is known yet. */
  readonly validUntil: Date | null;
}

/** A right looked at again: as it is now, or why there is none any more. */
export type Reconsidered = StreamRight | 'revoked' | 'expired';
