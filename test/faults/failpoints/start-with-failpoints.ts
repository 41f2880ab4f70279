import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../../drivers/service-process.ts';
import { startStopwatch } from '../../drivers/stopwatch.ts';
import { type ArmedFailpoint, nameOf, reachedMessage } from './failpoint.ts';

/** The files that start a process with failpoints, from the root of the repository. */
export const mainsWithFailpoints = {
  api: 'test/faults/failpoints/api-main.ts',
  worker: 'test/faults/failpoints/worker-main.ts',
} as const;

/** Resolves with the one of `processes` that has come to the failpoint. */
export async function whoComesTo(
  failpoint: ArmedFailpoint,
  processes: readonly ServiceProcess[],
  withinMs = 15_000,
): Promise<ServiceProcess> {
  const hasCome = ({ lines }: ServiceProcess) =>
    lines.some((line) => line.msg === reachedMessage && line.id === failpoint.id);
  const elapsedMs = startStopwatch();
  for (;;) {
    const found = processes.find(hasCome);
    if (found !== undefined) return found;
    if (elapsedMs() > withinMs) throw new Error(`nobody came to: ${nameOf(failpoint)}`);
    await delay(10);
  }
}
