import {
  formatPosition,
  isContiguous,
  isSamePosition,
  type LogPosition,
  positionBefore,
} from '@widget-service/shared/domain/log-position.ts';
import type { EventLog, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import { type Frame, toFrame } from './frame.ts';
import type { Ring, RingLimits } from './ring.ts';

const readsAtOnce = 20;

/** Thrown when the log does not go on where a cursor stands: trimmed meanwhile, or begun anew. */
export class LogDiscontinuityError extends Error {
  constructor() {
    super('the event log does not continue at this position');
    this.name = 'LogDiscontinuityError';
  }
}

/**
 * Reads pages for cursors that lie behind the ring, a bounded number at once, and one page once for all who want it
 * meanwhile, so that a crowd that comes back does not turn into as many reads. Returns the frames right after a
 * position, an empty page at the log's end.
 */
export function makeReadLog(eventLog: Pick<EventLog, 'readAfter'>, readPage: ReadPage) {
  let running = 0;
  const queue: (() => void)[] = [];
  const underway = new Map<string, Promise<Frame[]>>();

  async function take(): Promise<void> {
    if (running < readsAtOnce) running += 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
  }

  function release(): void {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  async function read(after: LogPosition): Promise<Frame[]> {
    await take();
    try {
      const records = await readPage((limit) => eventLog.readAfter(after, limit));
      if (!isContiguous(after, records)) throw new LogDiscontinuityError();
      return records.map(toFrame);
    } finally {
      release();
    }
  }

  return (after: LogPosition): Promise<Frame[]> => {
    const key = formatPosition(after);
    const known = underway.get(key);
    if (known !== undefined) return known;
    const reading = read(after).finally(() => underway.delete(key));
    underway.set(key, reading);
    return reading;
  };
}

/** Asks with how many events a page may have at most; rejects as the asking does. */
export type ReadPage = (ask: (limit: number) => Promise<LogRecord[]>) => Promise<LogRecord[]>;

const eventsAtFirst = 4;
const eventsMax = 500;

/**
 * Reads pages of about `targetBytes`, so that none takes longer to read, or more memory, than what is done with it is
 * worth. A log is asked for a number of events, and one event may be of 300 bytes or of a MiB; so the number follows
 * what pages turn out to hold. It is learned once for all who read the same part of the log.
 */
export function makeReadPage(targetBytes: number): ReadPage {
  let limit = eventsAtFirst;

  function shrinkTo(events: number): void {
    limit = Math.min(limit, Math.max(1, Math.floor(events)));
  }

  function learnFrom(page: readonly LogRecord[], asked: number): void {
    const bytes = page.reduce((sum, { event }) => sum + Buffer.byteLength(event.json), 0);
    if (bytes > targetBytes) shrinkTo((page.length * targetBytes) / bytes);
    // Of many that were asked for at once, one makes it grow.
    else if (page.length >= asked && asked === limit && bytes * 2 <= targetBytes)
      limit = Math.min(limit * 2, eventsMax);
  }

  return async (ask) => {
    const asked = limit;
    try {
      const page = await ask(asked);
      learnFrom(page, asked);
      return page;
    } catch (error) {
      // It may have been more than could be read in time.
      shrinkTo(asked / 2);
      throw error;
    }
  };
}

export interface SeekToEndDeps {
  readonly eventLog: Pick<EventLog, 'inspect' | 'append' | 'readUpTo'>;
  readonly runs: Pick<RunRegistry, 'startRun'>;
  readonly readPage: ReadPage;
  readonly ring: Ring;
}

/**
 * Puts the ring at the log's end, filled with the newest events: after a rolling restart every client comes back to a
 * pod that has just started, and each of them would read the log for itself. Throws `UnavailableError`.
 */
export async function seekToEnd({ eventLog, runs, readPage, ring }: SeekToEndDeps): Promise<void> {
  const end = await findEnd({ eventLog, runs });
  const newest = await readNewest({ eventLog, readPage }, end, ring.limits);
  const [first] = newest;
  ring.reset(first === undefined ? end : positionBefore({ epoch: end.epoch, ...first }));
  for (const frame of newest) ring.push(frame);
}

/** A log that was never written to, or was wiped, is begun here, so that streams can open on it. */
async function findEnd({ eventLog, runs }: Pick<SeekToEndDeps, 'eventLog' | 'runs'>): Promise<LogPosition> {
  const known = await eventLog.inspect(null);
  if (known !== null) return known.extent.last;
  const { run, lastPosition } = await runs.startRun();
  const { last } = await eventLog.append(run, lastPosition, []);
  return { epoch: last.epoch, ms: last.ms, seq: last.seq };
}

/** As many frames up to `end` as a ring holds and the log still has without a hole, oldest first. */
async function readNewest(
  { eventLog, readPage }: Pick<SeekToEndDeps, 'eventLog' | 'readPage'>,
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
      // Trimmed, or begun anew meanwhile: what was read up to here is still the end of what it was.
      const fits = newer === null ? isSamePosition(record, end) : isContiguous(record, [newer]);
      if (!fits) return newestFirst.reverse();
      const frame = toFrame(record);
      newestFirst.push(frame);
      bytes += frame.bytes.length;
      newer = record;
      next = positionBefore(record);
    }
  }
  return newestFirst.reverse();
}
