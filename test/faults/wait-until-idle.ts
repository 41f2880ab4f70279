import { setTimeout as delay } from 'node:timers/promises';
import { compileFilter, toFilterKey } from '@widget-service/shared/domain/event-filter.ts';
import { parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { Load } from '../drivers/load.ts';
import type { RecordedStream } from '../drivers/recording.ts';
import { startStopwatch } from '../drivers/stopwatch.ts';
import type { FaultCluster } from './fault-cluster.ts';
import { areReady } from './process-figures.ts';
import type { StoredState } from './stored-state.ts';

const pollMs = 100;

/**
 * Waits until nothing is under way any more: queue and outboxes empty, every stream open and at the log's end, every
 * process ready. Returns what is stored then, or when `withinMs` have passed: what is left shows in it.
 */
export async function comeToRest(
  cluster: Pick<FaultCluster, 'run' | 'readStored' | 'pods' | 'workers'>,
  { streams }: Pick<Load, 'streams'>,
  withinMs: number,
): Promise<StoredState> {
  const { run, readStored } = cluster;
  const elapsedMs = startStopwatch();
  const isLate = () => elapsedMs() > withinMs;
  for (;;) {
    const [jobsLeft, outboxesLeft] = await Promise.all([run.jobsLeft(), run.outboxesLeft()]);
    if ((jobsLeft === 0 && outboxesLeft === 0) || isLate()) {
      const stored = await readStored({ jobsLeft, outboxesLeft });
      const isAtEnd = createIsAtEnd(stored.log);
      const areAtEnd = () =>
        streams.every(({ recorded, isOpen }) => recorded.closedBy !== null || (isOpen && isAtEnd(recorded)));
      while (!(areAtEnd() && (await areReady(cluster))) && !isLate()) await delay(pollMs);
      return stored;
    }
    await delay(pollMs);
  }
}

/** Whether a stream has got the last event of the log that its filter lets through. */
function createIsAtEnd(log: readonly LogRecord[]): (stream: RecordedStream) => boolean {
  const lastByFilter = new Map<string, LogRecord | undefined>();
  const lastOf = ({ filter }: RecordedStream) => {
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
    const last = lastOf(stream);
    const at = parsePosition(
      stream.connections.at(-1)?.blocks.findLast(({ position }) => position !== '')?.position ?? '',
    );
    return last === undefined || (at !== null && at.epoch === last.epoch && at.seq >= last.seq);
  };
}
