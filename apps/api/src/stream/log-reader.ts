import { continues, formatPosition, type LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { EventLog } from '@widget-service/shared/ports/event-log.ts';
import { type Frame, frameOf } from './frame.ts';
import type { ReadPage } from './read-page.ts';

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
export function createLogReader(eventLog: Pick<EventLog, 'readAfter'>, readPage: ReadPage) {
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
      if (!continues(after, records)) throw new LogDiscontinuityError();
      return records.map(frameOf);
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
