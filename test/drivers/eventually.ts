import { setTimeout as delay } from 'node:timers/promises';
import { startStopwatch } from './stopwatch.ts';

/** Asks again until `condition` holds; fails after `withinMs`, a bound that the service promises. */
export async function eventually(condition: () => Promise<boolean>, what: string, withinMs = 15_000): Promise<void> {
  const elapsedMs = startStopwatch();
  while (!(await condition())) {
    if (elapsedMs() > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(50);
  }
}
