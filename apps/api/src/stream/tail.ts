import { formatPosition, isContiguous, type LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { resolveStreamStart } from '@widget-service/shared/domain/stream-start.ts';
import type { EventLog, EventTail } from '@widget-service/shared/ports/event-log.ts';
import type { RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import { toFrame } from './frame.ts';
import type { Hub } from './hub.ts';
import { IsolationDetector } from './isolation-detector.ts';
import { type ReadPage, seekToEnd } from './log-reader.ts';
import type { Ring } from './ring.ts';

export interface TailDeps {
  readonly eventLog: Pick<EventLog, 'openTail' | 'inspect' | 'append' | 'readUpTo'>;
  readonly runs: Pick<RunRegistry, 'startRun' | 'lastPosition'>;
  readonly readPage: ReadPage;
  readonly ring: Ring;
  readonly hub: Pick<Hub, 'notify' | 'endAll' | 'trackStreamsAheadOf'>;
  /** Resolves when the streams whose right is over have ended, as far as that can be found out. */
  readonly waitUntilFresh: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const behindMaxMs = 10_000;
const retryMs = 500;

/**
 * The pod's one reader of the event log: everything new goes into the ring, and the hub is told. While the log is away
 * streams wait; when it is away for this pod alone, they are sent to another.
 */
export function createTailTask(deps: TailDeps): Task {
  const { ring, clock, logger, hub } = deps;
  const cutOff = new IsolationDetector(deps);
  let behindSinceMs: number | null = null;
  let tail: EventTail | null = null;

  /** Compares with the log itself: a tail that stands ahead of a restored log would wait for ever. */
  async function verify(position: LogPosition): Promise<void> {
    const endBeyond = hub.trackStreamsAheadOf(position);
    const known = await deps.eventLog.inspect(position);
    if (known === null) return resync('the log is gone');
    const { gap } = resolveStreamStart(formatPosition(position), known.extent, known.contains);
    if (gap !== null) return resync(gap.reason);
    endBeyond(known.extent.last);
    if (known.extent.last.seq === position.seq) behindSinceMs = null;
    else behindSinceMs ??= clock.monotonicMs();
  }

  async function resync(reason: string): Promise<void> {
    logger.warn({ reason, position: ring.position() }, 'tail.resync');
    await seekToEnd(deps);
    hub.endAll('resync');
  }

  async function step(reader: EventTail): Promise<void> {
    const position = ring.position();
    if (position === null) return seekToEnd(deps);
    const records = await deps.readPage((limit) => reader.next(position, limit));
    if (records.length === 0) return verify(position);
    if (!isContiguous(position, records)) return resync('the log does not continue where the tail stands');
    await deps.waitUntilFresh();
    for (const record of records) ring.push(toFrame(record));
    behindSinceMs = null;
    hub.notify();
  }

  async function recover(error: unknown, signal: AbortSignal): Promise<void> {
    logger.warn({ err: error }, 'tail.unavailable');
    await clock.sleep(retryMs, signal);
    const position = ring.position();
    if (position !== null) await verify(position).catch(() => undefined);
    if (!(await cutOff.recordFailure())) return;
    logger.warn({}, 'tail.cut_off');
    hub.endAll('unavailable');
  }

  return {
    name: 'tail',
    run: async (signal) => {
      const reader = deps.eventLog.openTail();
      tail = reader;
      signal.addEventListener('abort', () => void reader.close(), { once: true });
      try {
        while (!signal.aborted) {
          await step(reader).then(
            () => cutOff.recordSuccess(),
            (error: unknown) => (signal.aborted ? undefined : recover(error, signal)),
          );
        }
      } finally {
        await tail.close();
      }
    },
    problem: () => {
      if (ring.position() === null) return 'has not reached the event log yet';
      const isBehind = behindSinceMs !== null && clock.monotonicMs() - behindSinceMs > behindMaxMs;
      return isBehind ? 'is behind the event log' : null;
    },
  };
}
