import { setTimeout as delay } from 'node:timers/promises';
import { compileFilter, toFilterKey } from '@widget-service/shared/domain/event-filter.ts';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { Load } from '../drivers/cluster/load.ts';
import type { RecordedStream } from '../drivers/cluster/recording.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import type { CheckedDeployment } from './checked-deployment.ts';
import type { StoredState } from './stored-state.ts';

const pollMs = 100;

/**
 * Waits until the deployment is idle: queue and outboxes are empty, every stream is open and has received the last
 * event of its filter, and every process is ready. Returns the stored state. After `withinMs` it returns the state at
 * that time without an error. The checkers then report what is left.
 */
export async function waitUntilIdle(
  { countJobs, countOutboxes, readStored, areAllReady }: CheckedDeployment,
  { streams }: Pick<Load, 'streams'>,
  withinMs: number,
): Promise<StoredState> {
  const elapsedMs = startStopwatch();
  const isLate = () => elapsedMs() > withinMs;
  for (;;) {
    const [jobsLeft, outboxesLeft] = await Promise.all([countJobs(), countOutboxes()]);
    if ((jobsLeft === 0 && outboxesLeft === 0) || isLate()) {
      const stored = await readStored({ jobsLeft, outboxesLeft });
      const isAtEnd = createIsAtEnd(stored.log);
      const areAtEnd = () =>
        streams.every(({ recorded, isOpen }) => recorded.closedBy !== null || (isOpen && isAtEnd(recorded)));
      while (!(areAtEnd() && (await areAllReady())) && !isLate()) await delay(pollMs);
      return stored;
    }
    await delay(pollMs);
  }
}

/** Returns a function that says whether a stream has received the last event of the log that its filter selects. */
function createIsAtEnd(log: readonly LogRecord[]): (stream: RecordedStream) => boolean {
  const lastByFilter = new Map<string, LogRecord | undefined>();
  const findLast = ({ filter }: RecordedStream) => {
    const key = toFilterKey(filter);
    if (!lastByFilter.has(key)) {
      const passes = compileFilter(filter);
      lastByFilter.set(
        key,
        log.findLast(({ event }) => passes === null || passes(event)),
      );
    }
    return lastByFilter.get(key);
  };
  return (stream) => {
    const last = findLast(stream);
    const position = parsePosition(
      stream.connections.at(-1)?.blocks.findLast(({ position }) => position !== '')?.position ?? '',
    );
    return last === undefined || (position !== null && position.epoch === last.epoch && position.seq >= last.seq);
  };
}
