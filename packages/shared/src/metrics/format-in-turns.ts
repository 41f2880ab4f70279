import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';

/** After this time, the streams and hooks that wait are served before the next metric. */
const turnMs = 1;

/** What each metric of a registry has, whatever its class. */
interface RegisteredMetric {
  readonly name: string;
  /** Resolves with the name, help, type and values. */
  get(): Promise<unknown>;
}

/**
 * Formats the metrics of a registry one after the other, and lets the event loop go on in between: a registry formats
 * all of them at once, and the whole process waits for it.
 */
export async function formatInTurns(registry: Registry, format: (metric: RegisteredMetric) => Promise<string>) {
  const texts: string[] = [];
  let turnStartedAtMs = performance.now();
  // The type of `getMetricsAsArray` describes the result of `get`, but the registry returns the metrics themselves.
  for (const metric of registry.getMetricsAsArray() as unknown as RegisteredMetric[]) {
    texts.push(await format(metric));
    if (performance.now() - turnStartedAtMs < turnMs) continue;
    await nextTurn();
    turnStartedAtMs = performance.now();
  }
  return texts;
}
