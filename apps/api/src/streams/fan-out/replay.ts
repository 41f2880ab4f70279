import type { StreamHolder } from '../../revocation/stream-entitlement.ts';
import { type JoinedFrames, joinFrames, toFrameSource } from './chunk.ts';
import type { Connection } from './connection.ts';
import type { Frame } from './frame.ts';
import { LogDiscontinuityError, type makeReadLog } from './log-reader.ts';
import type { Ring } from './ring.ts';
import type { TimeSlicer } from './time-slicer.ts';

export interface ReplayDeps {
  readonly ring: Pick<Ring, 'canServeFrom'>;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly slicer: Pick<TimeSlicer, 'nextSlice'>;
  /** From this many unsent bytes on, the replay waits for the socket. */
  readonly unsentLimitBytes: number;
  /** Moves the connection's cursor to the end of the frames and writes them. Does not check the unsent bytes. */
  readonly send: (connection: Connection, joined: JoinedFrames) => void;
}

/**
 * Makes the function that feeds a connection from the log until the ring covers its cursor or it is closed.
 *
 * The replay reads a page when the unsent bytes are below the limit, and writes the page until they reach it. It drops
 * the rest of the page, and reads it again when the socket has drained. So a slow client costs only its unsent bytes,
 * and no page stays in memory for it.
 *
 * The function throws `LogDiscontinuityError` and `UnavailableError`.
 */
export function makeReplay({ ring, readLog, slicer, unsentLimitBytes, send }: ReplayDeps) {
  async function waitUntilWritable(connection: Connection): Promise<void> {
    while (connection.state !== 'closed' && connection.sink.unsentBytes() >= unsentLimitBytes) {
      await new Promise<void>((resolve) => {
        connection.wake = resolve;
      });
    }
  }

  async function writePage(connection: Connection, page: readonly Frame[]): Promise<void> {
    const source = toFrameSource(page);
    while (source.at(connection.cursor.seq + 1) !== undefined && connection.sink.unsentBytes() < unsentLimitBytes) {
      // Without this wait, a socket that accepts everything or a filter that drops everything would let the whole page
      // go out in one event-loop turn.
      await slicer.nextSlice();
      if (connection.state === 'closed') return;
      // Read `connection.feed` after each wait: the filter may have changed.
      send(connection, joinFrames(source, connection.cursor.seq + 1, connection.feed.passes));
    }
  }

  return async (connection: Connection): Promise<void> => {
    for (;;) {
      // Leaves the replay only with room for more bytes. A live connection at its unsent limit would be closed as
      // `slow` once the ring drops its next frame.
      await waitUntilWritable(connection);
      if (connection.state !== 'replaying' || ring.canServeFrom(connection.cursor.seq + 1)) return;
      const { epoch, cursor, entitlement } = connection;
      const page = await readLog({ epoch, ...cursor }, toReader(entitlement.holder));
      // The end of the ring is ahead of this cursor. A log that ends here has lost events.
      if (page.length === 0) throw new LogDiscontinuityError();
      await writePage(connection, page);
    }
  };
}

/** All streams of one subscription, and all personal streams of one user, share the turns of one reader. */
function toReader(holder: StreamHolder): string {
  return holder.kind === 'subscription' ? holder.id : holder.userId;
}
