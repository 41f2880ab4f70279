// Event ids: the CloudEvents `id` in an event's JSON. The `id:` of an SSE message is a log position (sse-id.ts).

import { hash } from 'node:crypto';
import type { HookBody } from './delivery.ts';
import { canonicalizeJson } from './json.ts';
import { createUuidV7, toUuidV8 } from './uuid.ts';

/** Two hooks of one integration with equal keys are the same event. */
export type DeduplicationKey =
  | { readonly kind: 'webhook-id'; readonly value: string }
  | { readonly kind: 'idempotency-key'; readonly value: string }
  | { readonly kind: 'content'; readonly value: string };

/** Derives a hook's event id, a UUIDv8. Every pod derives the same id for every repetition, without reading a store. */
export function deriveEventId(integrationId: string, key: DeduplicationKey): string {
  return toUuidV8(hash('sha256', `${integrationId}\n${key.kind}\n${key.value}`, 'hex'));
}

/** Returns a new event id, a UUIDv7, for a hook without a deduplication key. It is never a duplicate. */
export function createEventId(): string {
  return createUuidV7();
}

/** Derives the id of the `widget.created` event of a creation over the API, a UUIDv8: one per widget. */
export function deriveCreationEventId(widgetId: string): string {
  return toUuidV8(hash('sha256', `/api/v1/widgets\ncreated\n${widgetId}`, 'hex'));
}

/**
 * Derives the deduplication key of a hook that was sent without one. Payloads that differ in one digit of a number give
 * two keys, as they are two payloads on a stream. Returns null for a hook that has neither a widget nor a payload: two
 * such hooks are two events.
 */
export function toContentKey({ kind, occurredAt, widgetId, payload }: HookBody): DeduplicationKey | null {
  if (widgetId === null && payload === null) return null;
  const parts = [kind, occurredAt, widgetId, payload === null ? null : canonicalizeJson(payload)];
  return { kind: 'content', value: JSON.stringify(parts) };
}
