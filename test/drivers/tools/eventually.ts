import { AssertionError } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import { startStopwatch } from './stopwatch.ts';

/**
 * Polls `condition` every 50 ms until it is true. Throws an `AssertionError` after `withinMs`. Pass the bound if the
 * service promises one; the default only ends a test that would wait for ever.
 */
export async function eventually(condition: () => Promise<boolean>, what: string, withinMs = 15_000): Promise<void> {
  const elapsedMs = startStopwatch();
  while (!(await condition())) {
    if (elapsedMs() > withinMs) throw new AssertionError({ message: `not within ${withinMs} ms: ${what}` });
    await delay(50);
  }
}
