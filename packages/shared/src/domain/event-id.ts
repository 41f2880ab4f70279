import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { HookEvent } from './hook-event.ts';
import { createUuidV7, toUuidV8 } from './uuid.ts';

/** What makes two hooks of one integration the same event. */
export type DeduplicationKey =
  | { readonly kind: 'webhook-id'; readonly value: string }
  | { readonly kind: 'idempotency-key'; readonly value: string }
  | { readonly kind: 'content'; readonly value: string };

/** The identity of a hook's event: the same on every pod and at every repetition, without a look-up. */
export function deriveEventId(integrationId: string, key: DeduplicationKey): string {
  return toUuidV8(hash('sha256', `${integrationId}\n${key.kind}\n${key.value}`, 'hex'));
}

/** An identity for a hook that is never the repetition of another one. */
export function createEventId(): string {
  return createUuidV7();
}

/** The identity of the event that tells of a widget's creation over the API: one per widget. */
export function deriveCreationEventId(widgetId: string): string {
  return toUuidV8(hash('sha256', `/api/v1/widgets\ncreated\n${widgetId}`, 'hex'));
}

/**
 * The key of a hook that came without one of its own, or null for a hook that says nothing but its kind and time:
 * two such hooks are two events.
 */
export function toContentKey(event: HookEvent): DeduplicationKey | null {
  if (event.widgetId === null && event.payload === null) return null;
  const parts = [
    event.kind,
    event.occurredAt,
    event.widgetId,
    event.payload === null ? null : canonicalJson(event.payload),
  ];
  return { kind: 'content', value: JSON.stringify(parts) };
}

/** The RFC 8785 form of a JSON text, or the text itself where that form does not exist (a number beyond a double). */
function canonicalJson(text: string): string {
  try {
    return canonicalize(JSON.parse(text)) ?? text;
  } catch {
    return text;
  }
}
