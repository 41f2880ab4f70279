import { z } from 'zod';
import type { HookEvent } from '../domain/hook-event.ts';
import { parseUuid } from '../domain/uuid.ts';

/** What can be read of a delivery that is malformed. Which delivery it is, and whose, can be told of every one. */
export interface BrokenDelivery extends Omit<HookEvent, 'kind'> {
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

const uuid = z.string().transform(parseUuid).pipe(z.string());

const remains = z.object({
  e: uuid,
  i: uuid,
  k: z.string().catch(''),
  o: z.string().catch(''),
  w: uuid.nullable().catch(null),
  p: z.unknown().transform(jsonTextOf),
  r: z
    .int()
    .transform((ms) => new Date(ms))
    .pipe(z.date())
    .nullable()
    .catch(null),
});

/** The delivery in a malformed item of a job (see hook-job.ts for its members); null when it does not tell which one. */
export function brokenDeliveryOf(item: unknown): BrokenDelivery | null {
  const read = remains.safeParse(item);
  if (!read.success) return null;
  const { e, i, k, o, w, p, r } = read.data;
  return { eventId: e, integrationId: i, kind: k, occurredAt: o, widgetId: w, payload: p, receivedAt: r };
}

function jsonTextOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && isJson(value) ? value.replace(/[\r\n]+/g, ' ') : JSON.stringify(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
