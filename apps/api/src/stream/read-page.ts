import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';

/** Asks with how many events a page may have at most; rejects as the asking does. */
export type ReadPage = (ask: (limit: number) => Promise<LogRecord[]>) => Promise<LogRecord[]>;

const eventsAtFirst = 4;
const eventsMax = 500;

/**
 * Reads pages of about `targetBytes`, so that none takes longer to read, or more memory, than what is done with it is
 * worth. A log is asked for a number of events, and one event may be of 300 bytes or of a MiB; so the number follows
 * what pages turn out to hold. It is learned once for all who read the same part of the log.
 */
export function createReadPage(targetBytes: number): ReadPage {
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
