import { setTimeout as delay } from 'node:timers/promises';
import type { FaultCluster } from './fault-cluster.ts';
import type { ServiceSlot } from './service-slot.ts';

const pauseMs = 5;
const looksMax = 2_000;

/**
 * Freezes a worker at a moment when it has a job. For an instant the others are frozen too, so that it is known whose
 * the job is.
 */
export async function freezeInMidJob(
  { run, workers }: Pick<FaultCluster, 'run' | 'workers'>,
  worker: ServiceSlot,
): Promise<void> {
  const others = workers.filter((other) => other !== worker && other.isRunning);
  for (const other of others) other.freeze();
  try {
    const before = await run.jobsTaken();
    for (let looks = 0; looks < looksMax; looks += 1) {
      const its = (await run.jobsTaken()).find((jobId) => !before.includes(jobId));
      if (its !== undefined) {
        worker.freeze();
        if ((await run.jobsTaken()).includes(its)) return;
        worker.thaw();
      }
      await delay(pauseMs);
    }
  } finally {
    for (const other of others) other.thaw();
  }
  throw new Error(`${worker.name} had no job in ${looksMax} looks`);
}
