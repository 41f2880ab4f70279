import { z } from 'zod';
import type { MalformedDelivery } from '../domain/delivery.ts';
import { hookKinds } from '../domain/event-kind.ts';
import { toSingleLine, tryParseJson } from '../domain/json.ts';
import { batchLimits, type QueueItem } from '../domain/queue-item.ts';
import { parseUtcTimestamp } from '../domain/timestamp.ts';
import { isTraceContext } from '../domain/trace-context.ts';
import { parseUuid } from '../domain/uuid.ts';
import type { UnreadableItem } from '../ports/hook-queue.ts';

/** A newer version of the service wrote the job. A worker of that version will process it. */
export class UnknownJobVersionError extends Error {
  constructor(version: number) {
    super(`the job has version ${version}, but this process reads only version ${jobVersion}: run a newer worker`);
    this.name = 'UnknownJobVersionError';
  }
}

export interface ReadJob {
  readonly items: readonly QueueItem[];
  /** The parts of the job that are not in `items`. */
  readonly unreadable: readonly UnreadableItem[];
}

const jobVersion = 1;
/** The largest distance from the Unix epoch, in milliseconds, that a `Date` can hold. */
const maxDateMs = 8_640_000_000_000_000;

const uuid = z.string().refine((text) => parseUuid(text) === text);

// Member names have one letter: a job holds up to 256 items (`batchLimits`), and every byte
// is stored, replicated and parsed.
const storedDelivery = z.object({
  t: z.literal('d'),
  /** eventId */
  e: uuid,
  /** integrationId */
  i: z.string().min(1),
  /** kind */
  k: z.enum(hookKinds),
  /** occurredAt */
  o: z.string().refine((text) => parseUtcTimestamp(text) !== null),
  /** widgetId */
  w: uuid.nullable(),
  /** payload */
  p: z.string().refine(isObjectOnOneLine).nullable(),
  /** receivedAt, in milliseconds since the Unix epoch */
  r: z.int().min(-maxDateMs).max(maxDateMs),
  /** redrive, left out when false */
  x: z.literal(true).optional(),
  /**
   * traceContext, left out when the trace is not sampled. Older versions ignore the member, and so does this one if it
   * is malformed: a trace is worth less than a hook.
   */
  c: z.string().refine(isTraceContext).optional().catch(undefined),
});

const storedNudge = z.object({ t: z.literal('n'), w: uuid });

const storedItem = z.discriminatedUnion('t', [storedDelivery, storedNudge]);
type StoredItem = z.infer<typeof storedItem>;

const storedJob = z.object({ version: z.int().min(1), items: z.unknown().optional() });

/** Returns the text that both backends store for a job. `parseHookJob` returns equal items. */
export function serializeHookJob(items: readonly QueueItem[]): string {
  return JSON.stringify({ version: jobVersion, items: items.map(toStoredItem) });
}

/**
 * Returns the items of a job's text, and its unreadable parts: malformed items, or the whole text. Throws
 * `UnknownJobVersionError` for a job of a newer version, whatever else it contains.
 */
export function parseHookJob(text: string): ReadJob {
  const job = storedJob.safeParse(tryParseJson(text));
  if (!job.success) return { items: [], unreadable: [{ text, delivery: null }] };
  const { version, items } = job.data;
  if (version > jobVersion) throw new UnknownJobVersionError(version);
  if (!Array.isArray(items)) return { items: [], unreadable: [{ text, delivery: null }] };
  return readItems(items);
}

function readItems(storedItems: readonly unknown[]): ReadJob {
  const items: QueueItem[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const stored of storedItems) {
    const item = storedItem.safeParse(stored);
    if (item.success) items.push(toQueueItem(item.data));
    else unreadable.push({ text: JSON.stringify(stored), delivery: salvageDelivery(stored) });
  }
  return { items, unreadable };
}

/**
 * A run copies the payload into the JSON of the event, unchanged. Any other text would make that JSON, or the one SSE
 * `data:` line that carries it, invalid for every client.
 */
function isObjectOnOneLine(text: string): boolean {
  return text.startsWith('{') && !/[\r\n]/.test(text) && tryParseJson(text) !== undefined;
}

function toStoredItem(item: QueueItem): StoredItem {
  if (item.type === 'nudge') return { t: 'n', w: item.widgetId };
  const { delivery, traceContext } = item;
  return {
    t: 'd',
    e: delivery.eventId,
    i: delivery.integrationId,
    k: delivery.kind,
    o: delivery.occurredAt,
    w: delivery.widgetId,
    p: delivery.payload,
    r: delivery.receivedAt.getTime(),
    ...(delivery.redrive ? { x: true } : {}),
    ...(traceContext === undefined ? {} : { c: traceContext }),
  };
}

function toQueueItem(item: StoredItem): QueueItem {
  if (item.t === 'n') return { type: 'nudge', widgetId: item.w };
  return {
    type: 'delivery',
    delivery: {
      eventId: item.e,
      integrationId: item.i,
      kind: item.k,
      occurredAt: item.o,
      widgetId: item.w,
      payload: item.p,
      receivedAt: new Date(item.r),
      redrive: item.x === true,
    },
    ...(item.c === undefined ? {} : { traceContext: item.c }),
  };
}

const anyCaseUuid = z.string().transform(parseUuid).pipe(z.string());

/**
 * The members of `storedDelivery` without `x` and `c`, each with any value. Only the event id and integration id are
 * required.
 */
const malformedDelivery = z.object({
  e: anyCaseUuid,
  i: anyCaseUuid,
  k: z.string().catch(''),
  o: z.string().catch(''),
  w: anyCaseUuid.nullable().catch(null),
  p: z.unknown().transform(toJsonText),
  r: z
    .int()
    .transform((ms) => new Date(ms))
    .pipe(z.date())
    .nullable()
    .catch(null),
});

/**
 * Returns the readable parts of a malformed delivery. Returns null if its event id or integration id cannot be read.
 */
function salvageDelivery(item: unknown): MalformedDelivery | null {
  const salvaged = malformedDelivery.safeParse(item);
  if (!salvaged.success) return null;
  const { e, i, k, o, w, p, r } = salvaged.data;
  return { eventId: e, integrationId: i, kind: k, occurredAt: o, widgetId: w, payload: p, receivedAt: r };
}

/** Returns well-formed JSON on one line: the value itself if it is JSON text, else its JSON. Null stays null. */
function toJsonText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const isJsonText = typeof value === 'string' && tryParseJson(value) !== undefined;
  return isJsonText ? toSingleLine(value) : JSON.stringify(value);
}

/**
 * The limits of a batch that coalesces jobs: `items` in the whole batch; `bytes` of the coalesced jobs' texts together,
 * without the started job's (it compares `text.length`, which is less than the bytes for text that is not ASCII); and
 * `jobs`, the waiting jobs that are considered. A job that was started more than `maxStartCount` times, or whose own
 * text exceeds `bytes`, runs alone.
 */
export const coalesceLimits = { ...batchLimits, jobs: 64, maxStartCount: 2 } as const;

/** Returns whether the batch has no room for another job. `bytes` is the length of the job texts. */
export function isFull(items: number, bytes: number): boolean {
  return items >= coalesceLimits.items || bytes >= coalesceLimits.bytes;
}

/**
 * Returns the items of the waiting jobs that fit into a batch, per job and in order. The batch already has `itemCount`
 * items, and `byteCount` is the length of the job texts coalesced before. Stops before a job that does not fit, and
 * before a job that has an unreadable part or a newer version.
 */
export function coalesceItems(itemCount: number, jobTexts: readonly string[], byteCount = 0): (readonly QueueItem[])[] {
  const coalesced: (readonly QueueItem[])[] = [];
  let totalItems = itemCount;
  let totalBytes = byteCount;
  for (const text of jobTexts) {
    const items = parseReadableJob(text);
    totalBytes += text.length;
    totalItems += items?.length ?? 0;
    if (items === null || totalBytes > coalesceLimits.bytes || totalItems > coalesceLimits.items) break;
    coalesced.push(items);
  }
  return coalesced;
}

function parseReadableJob(text: string): readonly QueueItem[] | null {
  try {
    const { items, unreadable } = parseHookJob(text);
    return unreadable.length === 0 ? items : null;
  } catch {
    return null;
  }
}
