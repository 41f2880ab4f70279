import { setTimeout as delay } from 'node:timers/promises';
import { startStopwatch } from './stopwatch.ts';

/**
 * Polls `condition` every 50 ms until it is true. Throws after `withinMs`, which is a bound that the service promises.
 */
export async function eventually(condition: () => Promise<boolean>, what: string, withinMs = 15_000): Promise<void> {
  const elapsedMs = startStopwatch();
  while (!(await condition())) {
    if (elapsedMs() > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(50);
  }
}
