import { z } from 'zod';
import { hookKinds, type MalformedDelivery } from '../domain/hook-event.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import { parseUtcTimestamp } from '../domain/timestamp.ts';
import { parseUuid } from '../domain/uuid.ts';
import type { UnreadableItem } from '../ports/hook-queue.ts';

/** The job was written by a newer version of the service than this one: a worker of that version will carry it out. */
export class UnknownJobVersionError extends Error {
  readonly version: number;

  constructor(version: number) {
    super(`the job has version ${version}, this process knows version ${jobVersion}`);
    this.name = 'UnknownJobVersionError';
    this.version = version;
  }
}

export interface ReadJob {
  readonly items: readonly QueueItem[];
  /** What is left when the items are taken out. */
  readonly unreadable: readonly UnreadableItem[];
}

const jobVersion = 1;
/** The largest distance from the epoch, in milliseconds, that a `Date` can hold. */
const dateMaxMs = 8_640_000_000_000_000;

const uuid = z.string().refine((text) => parseUuid(text) === text);

// One letter per member: a job carries up to 256 items, and every byte is stored, replicated and parsed.
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
  r: z.int().min(-dateMaxMs).max(dateMaxMs),
  /** redrive, left out when false */
  x: z.literal(true).optional(),
});

const storedNudge = z.object({ t: z.literal('n'), w: uuid });

const storedItem = z.discriminatedUnion('t', [storedDelivery, storedNudge]);
type StoredItem = z.infer<typeof storedItem>;

const storedJob = z.object({ version: z.int().min(1), items: z.unknown().optional() });

/** The text that both backends keep for a job. `parseHookJob` gives back equal items. */
export function serializeHookJob(items: readonly QueueItem[]): string {
  return JSON.stringify({ version: jobVersion, items: items.map(toStored) });
}

/**
 * The items of a job's text, and what in it cannot be read: items that are malformed, or the whole text. Throws
 * `UnknownJobVersionError` for a job of a newer version, whatever it holds.
 */
export function parseHookJob(text: string): ReadJob {
  const job = storedJob.safeParse(parseJson(text));
  if (!job.success) return { items: [], unreadable: [{ text, delivery: null }] };
  const { version, items } = job.data;
  if (version > jobVersion) throw new UnknownJobVersionError(version);
  if (!Array.isArray(items)) return { items: [], unreadable: [{ text, delivery: null }] };
  return readItems(items);
}

function readItems(stored: readonly unknown[]): ReadJob {
  const items: QueueItem[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const each of stored) {
    const item = storedItem.safeParse(each);
    if (item.success) items.push(fromStored(item.data));
    else unreadable.push({ text: JSON.stringify(each), delivery: salvageDelivery(each) });
  }
  return { items, unreadable };
}

/** Undefined for what is no JSON, which is no job either. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A payload is written into events as it is, so anything else would break the events of everybody. */
function isObjectOnOneLine(text: string): boolean {
  return text.startsWith('{') && !/[\r\n]/.test(text) && parseJson(text) !== undefined;
}

function toStored(item: QueueItem): StoredItem {
  if (item.type === 'nudge') return { t: 'n', w: item.widgetId };
  const { delivery } = item;
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
  };
}

function fromStored(item: StoredItem): QueueItem {
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
  };
}

const anyCaseUuid = z.string().transform(parseUuid).pipe(z.string());

const remains = z.object({
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

/** The delivery in a malformed item of a job (see hook-job.ts for its members); null when it does not tell which one. */
function salvageDelivery(item: unknown): MalformedDelivery | null {
  const read = remains.safeParse(item);
  if (!read.success) return null;
  const { e, i, k, o, w, p, r } = read.data;
  return { eventId: e, integrationId: i, kind: k, occurredAt: o, widgetId: w, payload: p, receivedAt: r };
}

function toJsonText(value: unknown): string | null {
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
