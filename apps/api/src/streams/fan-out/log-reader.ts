import { UnreadableRowError } from '@widget-service/shared/domain/errors.ts';
import {
  isContiguous,
  isSamePosition,
  type LogPosition,
  positionBefore,
  takeContiguous,
} from '@widget-service/shared/domain/log-position.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { EventLog, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import { type Frame, toFrame } from './frame.ts';
import type { Ring, RingLimits } from './ring.ts';

const maxConcurrentReads = 20;

/** The log does not continue at a cursor: its next events were trimmed, lost or damaged, or it started a new epoch. */
export class LogDiscontinuityError extends Error {
  constructor() {
    super('the event log does not continue at this position');
    this.name = 'LogDiscontinuityError';
  }
}

/**
 * Makes the function that reads a page of the event log for a replay. It returns the frames right after a position, or
 * an empty page at the end of the log. A page ends where an event is missing or damaged.
 *
 * At most 20 reads run at once; the others wait without limit, and readers take turns, so that a reader with many
 * streams does not delay the others. Simultaneous calls for the same position share one read, which runs when the first
 * of its readers has a turn. So a crowd that resumes causes few reads. The function throws `LogDiscontinuityError` and
 * the errors of `EventLog.readAfter`.
 */
export function makeReadLog(eventLog: Pick<EventLog, 'readAfter'>, readPage: ReadPage) {
  const limitReads = createSemaphore({ what: 'read the event log', maxRunning: maxConcurrentReads });
  const pendingReads = new Map<string, PendingRead>();

  async function read(after: LogPosition): Promise<Frame[]> {
    const records = await readPage((limit) => eventLog.readAfter(after, limit)).catch((error: unknown) => {
      throw error instanceof UnreadableRowError ? new LogDiscontinuityError() : error;
    });
    const next = takeContiguous(after, records);
    if (next.length === 0 && records.length > 0) throw new LogDiscontinuityError();
    return next.map(toFrame);
  }

  return (after: LogPosition, reader: string): Promise<Frame[]> => {
    const key = formatPosition(after);
    const pending =
      pendingReads.get(key) ?? createPendingRead(() => read(after).finally(() => pendingReads.delete(key)));
    pendingReads.set(key, pending);
    if (!pending.hasStarted && !pending.readers.has(reader)) {
      pending.readers.add(reader);
      void limitReads(pending.start, reader);
    }
    return pending.page;
  };
}

/** A read that several readers may wait for. */
interface PendingRead {
  readonly page: Promise<Frame[]>;
  readonly readers: Set<string>;
  readonly hasStarted: boolean;
  /** Starts the read, and resolves when it has ended. Resolves at once if another reader has started it. */
  readonly start: () => Promise<void>;
}

function createPendingRead(read: () => Promise<Frame[]>): PendingRead {
  const { promise: page, resolve, reject } = Promise.withResolvers<Frame[]>();
  let hasStarted = false;
  return {
    page,
    readers: new Set(),
    get hasStarted() {
      return hasStarted;
    },
    start: async () => {
      if (hasStarted) return;
      hasStarted = true;
      await read().then(resolve, reject);
    },
  };
}

/** Reads one page: calls `fetch` once, with the most events that the page may have. Rejects if `fetch` rejects. */
export type ReadPage = (fetch: (limit: number) => Promise<LogRecord[]>) => Promise<LogRecord[]>;

const initialPageEvents = 4;
const maxPageEvents = 500;

/**
 * Makes a `ReadPage` whose pages have about `targetBytes` of event JSON (ADR 9), to bound the time and memory of a
 * read.
 *
 * The log takes a limit in events, and an event may have 300 bytes or a MiB. So the limit adapts to the size of the
 * last pages. It starts with 4, doubles (up to 500) after a full page of at most half the target, and shrinks after a
 * page above the target or a failed read. All users of one `ReadPage` share its limit.
 */
export function makeReadPage(targetBytes: number): ReadPage {
  let limit = initialPageEvents;

  function shrinkTo(events: number): void {
    limit = Math.min(limit, Math.max(1, Math.floor(events)));
  }

  function adjustLimit(page: readonly LogRecord[], requestedEvents: number): void {
    const bytes = page.reduce((sum, { event }) => sum + Buffer.byteLength(event.json), 0);
    const isFull = page.length >= requestedEvents;
    // Concurrent reads start with the same limit; only the first of them may double it.
    const isLimitUnchanged = requestedEvents === limit;
    if (bytes > targetBytes) shrinkTo((page.length * targetBytes) / bytes);
    else if (isFull && isLimitUnchanged && bytes * 2 <= targetBytes) limit = Math.min(limit * 2, maxPageEvents);
  }

  return async (fetch) => {
    const requestedEvents = limit;
    try {
      const page = await fetch(requestedEvents);
      adjustLimit(page, requestedEvents);
      return page;
    } catch (error) {
      // The page may have been too large to be read in time.
      shrinkTo(requestedEvents / 2);
      throw error;
    }
  };
}

/**
 * Moves the ring to the end of the log and fills it with the newest events (ADR 9). After a rolling restart, all
 * clients reconnect to pods that have just started. With an empty ring, each client would cause reads of the log.
 *
 * Throws `UnavailableError`; the ring is then unchanged.
 */
export async function seekToEnd(
  eventLog: Pick<EventLog, 'inspect' | 'append' | 'readUpTo'>,
  runs: Pick<RunRegistry, 'startRun'>,
  readPage: ReadPage,
  ring: Ring,
): Promise<void> {
  const end = await findEnd(eventLog, runs);
  const newest = await readNewest(eventLog, readPage, end, ring.limits);
  const [first] = newest;
  ring.reset(first === undefined ? end : positionBefore({ epoch: end.epoch, ...first }));
  for (const frame of newest) ring.push(frame);
}

/** Returns the end of the log. If the log is new or was wiped, starts its first epoch, so that streams can open. */
async function findEnd(
  eventLog: Pick<EventLog, 'inspect' | 'append'>,
  runs: Pick<RunRegistry, 'startRun'>,
): Promise<LogPosition> {
  const inspection = await eventLog.inspect(null);
  if (inspection !== null) return inspection.extent.last;
  const { run, lastPosition } = await runs.startRun();
  const { last } = await eventLog.append(run, lastPosition, []);
  return { epoch: last.epoch, ms: last.ms, seq: last.seq };
}

/** Reads backwards from `end` until the ring's limits, the oldest event or a hole. Returns the frames oldest first. */
async function readNewest(
  eventLog: Pick<EventLog, 'readUpTo'>,
  readPage: ReadPage,
  end: LogPosition,
  limits: RingLimits,
): Promise<Frame[]> {
  const newestFirst: Frame[] = [];
  let bytes = 0;
  let next = end;
  let newer: LogRecord | null = null;
  while (newestFirst.length < limits.frames && bytes < limits.bytes) {
    const wanted = limits.frames - newestFirst.length;
    const page = await readPage((limit) => eventLog.readUpTo(next, Math.min(limit, wanted)));
    if (page.length === 0) break;
    for (const record of page.reverse()) {
      // Stops at a hole: events were trimmed, or the log has started a new epoch meanwhile. The frames so far still
      // continue to `end` without a hole.
      const isAdjacent = newer === null ? isSamePosition(record, end) : isContiguous(record, [newer]);
      if (!isAdjacent) return newestFirst.reverse();
      const frame = toFrame(record);
      newestFirst.push(frame);
      bytes += frame.bytes.length;
      newer = record;
      next = positionBefore(record);
    }
  }
  return newestFirst.reverse();
}
