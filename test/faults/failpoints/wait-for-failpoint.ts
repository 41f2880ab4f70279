import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../../drivers/cluster/service-process.ts';
import { startStopwatch } from '../../drivers/tools/stopwatch.ts';
import { type ArmedFailpoint, formatFailpoint, reachedMessage } from './failpoint.ts';

/** Resolves with the process that is at the failpoint. Throws after `withinMs` if none of `processes` gets there. */
export async function waitForFailpoint(
  failpoint: ArmedFailpoint,
  processes: readonly ServiceProcess[],
  withinMs = 15_000,
): Promise<ServiceProcess> {
  const isAtFailpoint = ({ lines }: ServiceProcess) =>
    lines.some((line) => line.msg === reachedMessage && line.id === failpoint.id);
  const elapsedMs = startStopwatch();
  for (;;) {
    const service = processes.find(isAtFailpoint);
    if (service !== undefined) return service;
    if (elapsedMs() > withinMs) throw new Error(`no process reached the failpoint "${formatFailpoint(failpoint)}"`);
    await delay(10);
  }
}
