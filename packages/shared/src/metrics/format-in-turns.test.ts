import { Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { formatInTurns } from './open-metrics.ts';

/** Registers gauges and formats them. Formatting one of them takes `busyMs`. Returns what happened, in its order. */
async function recordOrder(names: readonly string[], busyMs: number): Promise<string[]> {
  const registry = new Registry();
  for (const name of names) new Gauge({ name, help: name, registers: [registry] });
  const order: string[] = [];
  const texts = await formatInTurns(registry, async ({ name }) => {
    const endMs = performance.now() + busyMs;
    while (performance.now() < endMs);
    order.push(name);
    // Whoever waits for the event loop, such as a hook that has arrived.
    setImmediate(() => order.push('another'));
    return `the text of ${name}`;
  });
  expect(texts).toEqual(names.map((name) => `the text of ${name}`));
  return order;
}

test('after a metric that took long, what waits runs before the next one', async () => {
  expect(await recordOrder(['a', 'b', 'c'], 3)).toEqual(['a', 'another', 'b', 'another', 'c', 'another']);
});

test('a registry without metrics has no texts', async () => {
  expect(await recordOrder([], 0)).toEqual([]);
});
