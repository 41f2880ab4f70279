import type { Backend } from '../ports/backend.ts';
import type { Clock } from '../runtime/clock.ts';
import { ExpiringMarks } from '../usecases/events/expiring-marks.ts';
import { OutboxPublisher } from '../usecases/events/publish-outbox.ts';
import { RunNumbers } from '../usecases/events/run-numbers.ts';
import { makeProcessBatch } from '../usecases/hooks/process-batch.ts';

/** What the runs of one process share. */
export interface BatchProcessor {
  readonly processBatch: ReturnType<typeof makeProcessBatch>;
  /** Lets the dedupe marks of earlier runs expire: call it every few seconds. Throws `UnavailableError`. */
  readonly expireMarks: () => Promise<void>;
  /** Resolves when steps 7 and 8 of the earlier runs have ended or failed: call it before the process ends. */
  readonly settle: () => Promise<void>;
}

/**
 * A process makes one: its runs share run numbers, and the calls that publish their events. `onUnfinished` is called
 * when steps 7 or 8 fail after the run was reported as published.
 */
export function createBatchProcessor(
  ports: Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>,
  clock: Clock,
  onUnfinished: (error: unknown) => void = () => undefined,
): BatchProcessor {
  const numbers = new RunNumbers({ ...ports, clock });
  const expiringMarks = new ExpiringMarks({ ...ports, numbers });
  const publisher = new OutboxPublisher({ ...ports, expiringMarks, clock, onUnfinished });
  return {
    processBatch: makeProcessBatch({ ...ports, numbers, publisher, clock }),
    expireMarks: () => expiringMarks.expire(),
    settle: () => publisher.settleAll(),
  };
}
