import { setTimeout as delay } from 'node:timers/promises';
import type { FaultCluster } from './fault-cluster.ts';
import type { ServiceSlot } from './service-slot.ts';

const pollMs = 5;
const attemptsMax = 2_000;

/**
 * Freezes a worker while it has a started job. The other workers are frozen during the search, so that any newly
 * started job belongs to this worker.
 */
export async function freezeDuringJob(
  { run, workers }: Pick<FaultCluster, 'run' | 'workers'>,
  worker: ServiceSlot,
): Promise<void> {
  const others = workers.filter((other) => other !== worker && other.isRunning);
  for (const other of others) other.freeze();
  try {
    const before = await run.listStartedJobs();
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const startedJob = (await run.listStartedJobs()).find((jobId) => !before.includes(jobId));
      if (startedJob !== undefined) {
        worker.freeze();
        if ((await run.listStartedJobs()).includes(startedJob)) return;
        worker.thaw();
      }
      await delay(pollMs);
    }
  } finally {
    for (const other of others) other.thaw();
  }
  throw new Error(`${worker.name} could not be frozen during a newly started job in ${attemptsMax} attempts`);
}
