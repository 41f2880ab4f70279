import { setTimeout as delay } from 'node:timers/promises';
import type { FaultCluster } from './fault-cluster.ts';
import type { ServiceSlot } from './service-slot.ts';

/** Far longer than a job takes. */
const heldForMs = 700;
const pauseMs = 50;
const triesMax = 50;

/** Freezes a worker at a moment when it has a job: one that stays taken while the others go on. */
export async function freezeInMidJob({ run }: Pick<FaultCluster, 'run'>, worker: ServiceSlot): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    worker.freeze();
    const before = await run.jobsTaken();
    await delay(heldForMs);
    const after = new Set(await run.jobsTaken());
    if (before.some((jobId) => after.has(jobId))) return;
    worker.thaw();
    await delay(pauseMs);
  }
  throw new Error(`${worker.name} had no job in ${triesMax} looks`);
}
