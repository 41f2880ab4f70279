import { type JoinedFrames, joinFrames, toFrameSource } from './chunk.ts';
import type { Connection } from './connection.ts';
import type { Frame } from './frame.ts';
import { LogDiscontinuityError, type makeReadLog } from './log-reader.ts';
import type { Ring } from './ring.ts';
import type { TimeSlicer } from './time-slicer.ts';

export interface ReplayDeps {
  readonly ring: Pick<Ring, 'covers'>;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly slicer: Pick<TimeSlicer, 'nextSlice'>;
  readonly unsentLimitBytes: number;
  readonly send: (connection: Connection, joined: JoinedFrames) => void;
}

/**
 * Feeds a connection from the log until it is inside the ring or closed. A page is read when the socket takes more, and
 * written as far as it may lie unsent; the rest is not kept, but read again when the socket has taken everything. So a
 * slow client costs what it has unsent, and no page waits for it. Throws `LogDiscontinuityError`, `UnavailableError`.
 */
export function makeReplay({ ring, readLog, slicer, unsentLimitBytes, send }: ReplayDeps) {
  async function untilWritable(connection: Connection): Promise<void> {
    while (connection.state !== 'closed' && connection.sink.unsentBytes() >= unsentLimitBytes) {
      await new Promise<void>((resolve) => {
        connection.wake = resolve;
      });
    }
  }

  /** The filter is asked anew for every write: it may have changed while the turn was waited for. */
  async function writePage(connection: Connection, page: readonly Frame[]): Promise<void> {
    const source = toFrameSource(page);
    while (source.at(connection.cursor.seq + 1) !== undefined && connection.sink.unsentBytes() < unsentLimitBytes) {
      // A socket that takes everything, or a filter that drops everything, is never waited for.
      await slicer.nextSlice();
      if (connection.state === 'closed') return;
      send(connection, joinFrames(source, connection.cursor.seq + 1, connection.feed.passes));
    }
  }

  return async (connection: Connection): Promise<void> => {
    for (;;) {
      // Waited for here, not in the ring: who has fallen out of that while its socket was full would be cut.
      await untilWritable(connection);
      if (connection.state !== 'replaying' || ring.covers(connection.cursor.seq + 1)) return;
      const page = await readLog({ epoch: connection.epoch, ...connection.cursor });
      if (page.length === 0) throw new LogDiscontinuityError();
      await writePage(connection, page);
    }
  };
}
