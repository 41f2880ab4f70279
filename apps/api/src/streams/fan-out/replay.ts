import type { StreamHolder } from '../../revocation/stream-entitlement.ts';
import { type JoinedFrames, joinFrames, toFrameSource } from './chunk.ts';
import type { ClosingReason } from './closing-rules.ts';
import type { Connection } from './connection.ts';
import type { Frame } from './frame.ts';
import { LogDiscontinuityError, type makeReadLog } from './log-reader.ts';
import type { Ring } from './ring.ts';
import { isFull, type SlowClientLimits, waitUntilNotFull } from './slow-client.ts';
import type { TimeSlicer } from './time-slicer.ts';

export interface ReplayDeps {
  readonly ring: Pick<Ring, 'canServeFrom'>;
  readonly readLog: ReturnType<typeof makeReadLog>;
  readonly slicer: Pick<TimeSlicer, 'nextSlice'>;
  readonly options: Pick<SlowClientLimits, 'unsentLimitBytes'>;
  /** Moves the connection's cursor to the end of the frames and writes them, even if the buffer is full. */
  readonly send: (connection: Connection, joined: JoinedFrames) => void;
  /** Called when the ring covers the connection's cursor. */
  readonly startLive: (connection: Connection) => void;
  readonly end: (connection: Connection, reason: ClosingReason) => void;
}

/**
 * Makes the function that feeds a connection from the event log (replay) until the ring covers its cursor or it is
 * closed. It never rejects. It ends the connection if the log does not continue at the cursor (`resync`) or does not
 * answer (`unavailable`).
 *
 * It reads a page when the client's buffer is not full, and writes of it until the buffer is full. It drops the rest
 * and reads it again when the socket has drained. So a slow client costs only its unsent bytes: no page stays in
 * memory.
 */
export function makeReplay({ ring, readLog, slicer, options, send, startLive, end }: ReplayDeps) {
  async function writePage(connection: Connection, page: readonly Frame[]): Promise<void> {
    const source = toFrameSource(page);
    while (source.at(connection.cursor.seq + 1) !== undefined && !isFull(connection, options)) {
      // Without this wait, a fast socket or a filter that drops everything would keep the event loop for the whole
      // page.
      await slicer.nextSlice();
      if (connection.state === 'closed') return;
      // Read `connection.feed` after each wait: the filter may have changed.
      send(connection, joinFrames(source, connection.cursor.seq + 1, connection.feed.passes));
    }
  }

  async function replayUntilCovered(connection: Connection): Promise<void> {
    for (;;) {
      // A connection becomes live only when its buffer is not full. Otherwise it would be closed as `slow` once the
      // ring drops its next frame.
      await waitUntilNotFull(connection, options);
      if (connection.state === 'closed' || ring.canServeFrom(connection.cursor.seq + 1)) return;
      const { epoch, cursor, entitlement } = connection;
      const page = await readLog({ epoch, ...cursor }, toReader(entitlement.holder));
      // The ring holds later events, so a log that has none after this cursor has lost some.
      if (page.length === 0) throw new LogDiscontinuityError();
      await writePage(connection, page);
    }
  }

  return async (connection: Connection): Promise<void> => {
    connection.state = 'replaying';
    try {
      await replayUntilCovered(connection);
      if (connection.state === 'replaying') startLive(connection);
    } catch (error) {
      end(connection, error instanceof LogDiscontinuityError ? 'resync' : 'unavailable');
    }
  };
}

/** All streams of one subscription, or of one user, count as one reader when reads take turns. */
function toReader(holder: StreamHolder): string {
  return holder.kind === 'subscription' ? holder.id : holder.userId;
}
