import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until `condition` holds; fails after `withinMs`, a bound that the service promises. */
export async function eventually(condition: () => Promise<boolean>, what: string, withinMs = 15_000): Promise<void> {
  const deadlineAtMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadlineAtMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(50);
  }
}
