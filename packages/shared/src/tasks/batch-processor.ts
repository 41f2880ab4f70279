import type { Backend } from '../ports/backend.ts';
import type { Clock } from '../runtime/clock.ts';
import { ExpiringMarks } from '../usecases/events/expiring-marks.ts';
import { OutboxPublisher } from '../usecases/events/publish-outbox.ts';
import { RunNumbers } from '../usecases/events/run-numbers.ts';
import { makeProcessBatch } from '../usecases/hooks/process-batch.ts';

/** What the runs of one process share. */
export interface BatchProcessor {
  readonly processBatch: ReturnType<typeof makeProcessBatch>;
  /** Lets the dedupe marks of the runs before expire: call it every few seconds. Throws `UnavailableError`. */
  readonly expireMarks: () => Promise<void>;
}

/** A process makes one: its runs share run numbers, and the calls that publish their events. */
export function createBatchProcessor(
  ports: Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>,
  clock: Clock,
): BatchProcessor {
  const numbers = new RunNumbers({ ...ports, clock });
  const expiringMarks = new ExpiringMarks({ ...ports, numbers });
  const publisher = new OutboxPublisher({ ...ports, expiringMarks, clock });
  return {
    processBatch: makeProcessBatch({ ...ports, numbers, publisher, clock }),
    expireMarks: () => expiringMarks.expire(),
  };
}
