import { z } from 'zod';
import { hookKinds } from '../domain/hook-event.ts';
import type { QueueItem } from '../domain/queue-item.ts';

/** The job was written by a version of the service that this one does not know: a newer one will carry it out. */
export class UnknownJobVersionError extends Error {
  readonly version: unknown;

  constructor(version: unknown) {
    super(`the job has version ${JSON.stringify(version)}, this process knows version ${jobVersion}`);
    this.name = 'UnknownJobVersionError';
    this.version = version;
  }
}

/** The job's text is none that any version of the service writes. */
export class InvalidJobError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'InvalidJobError';
  }
}

const jobVersion = 1;

// One letter per member: a job carries up to 256 items, and every byte is stored, replicated and parsed.
const storedDelivery = z.object({
  t: z.literal('d'),
  /** eventId */
  e: z.string().min(1),
  /** integrationId */
  i: z.string().min(1),
  /** kind */
  k: z.enum(hookKinds),
  /** occurredAt */
  o: z.string(),
  /** widgetId */
  w: z.string().nullable(),
  /** payload */
  p: z.string().nullable(),
  /** receivedAt, in milliseconds since the Unix epoch */
  r: z.int(),
  /** redrive, left out when false */
  x: z.literal(true).optional(),
});

const storedNudge = z.object({ t: z.literal('n'), w: z.string().min(1) });

const storedItem = z.discriminatedUnion('t', [storedDelivery, storedNudge]);
type StoredItem = z.infer<typeof storedItem>;

const storedItems = z.array(storedItem);
const storedVersion = z.object({ version: z.unknown().optional(), items: z.unknown().optional() });

/** The text that both backends keep for a job. `parseHookJob` gives back equal items. */
export function serializeHookJob(items: readonly QueueItem[]): string {
  return JSON.stringify({ version: jobVersion, items: items.map(toStored) });
}

/**
 * The items of a job's text. Throws `UnknownJobVersionError` for a job of another version, whatever it holds, and
 * `InvalidJobError` for a text that is no job.
 */
export function parseHookJob(text: string): QueueItem[] {
  const job = storedVersion.safeParse(parseJson(text));
  if (!job.success || job.data.version === undefined) throw new InvalidJobError('the job has no version');
  if (job.data.version !== jobVersion) throw new UnknownJobVersionError(job.data.version);
  const items = storedItems.safeParse(job.data.items);
  // The values are left out of the message: they belong to the sender.
  if (!items.success) throw new InvalidJobError(`the job's items are malformed: ${firstPath(items.error)}`);
  return items.data.map(fromStored);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidJobError('the job is not JSON');
  }
}

function firstPath(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'unknown' : `${issue.code} at ${issue.path.join('.')}`;
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
