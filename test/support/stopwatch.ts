import { readFileSync } from 'node:fs';

/** `/proc/stat` counts in hundredths of a second on every Linux that Node.js runs on (USER_HZ, proc_stat(5)). */
const msPerTick = 10;
const stealColumn = 8;
/** A machine that got nothing at all for a while still has to meet a bound some day. */
const stolenShareMax = 0.8;

/**
 * Returns a function that tells the milliseconds since now, less those that a virtual machine wanted to work and its
 * host let others do so. A bound that is promised to users is one on a machine of one's own.
 */
export function startStopwatch(): () => number {
  const startedAtMs = performance.now();
  const stolenBeforeMs = stolenMs();
  return () => {
    const elapsedMs = performance.now() - startedAtMs;
    return elapsedMs - Math.min(stolenMs() - stolenBeforeMs, stolenShareMax * elapsedMs);
  };
}

/** Of all processors together, since the machine was started; 0 where nobody counts it. */
function stolenMs(): number {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    return Number(line.split(/\s+/)[stealColumn] ?? 0) * msPerTick;
  } catch {
    return 0;
  }
}
