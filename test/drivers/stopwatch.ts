import { readFileSync } from 'node:fs';

/** `/proc/stat` counts in hundredths of a second on every Linux that Node.js runs on (USER_HZ, proc_stat(5)). */
const msPerTick = 10;
const stealColumn = 8;
/** A machine that got nothing at all for a while still has to meet a bound some day. */
const stolenShareMax = 0.8;

/** Where a stopwatch looks: both in milliseconds since some moment. */
export interface StopwatchSource {
  elapsedMs(): number;
  /** How long, of each processor on average, the host let others work although there was work here. */
  stolenMs(): number;
}

/**
 * Returns a function that tells the milliseconds since now, less those that a virtual machine wanted to work and its
 * host let others do so. A bound that is promised to users is one on a machine of one's own.
 */
export function startStopwatch(source: StopwatchSource = thisMachine): () => number {
  const startedAtMs = source.elapsedMs();
  const stolenBeforeMs = source.stolenMs();
  return () => {
    const elapsedMs = source.elapsedMs() - startedAtMs;
    return elapsedMs - Math.min(source.stolenMs() - stolenBeforeMs, stolenShareMax * elapsedMs);
  };
}

export const thisMachine: StopwatchSource = {
  elapsedMs: () => performance.now(),
  stolenMs: () => {
    try {
      return stolenMsOf(readFileSync('/proc/stat', 'utf8'));
    } catch {
      // Not Linux: nobody counts it there.
      return 0;
    }
  },
};

/** Out of the text of `/proc/stat`, whose first line is all processors together and whose next are each of them. */
export function stolenMsOf(procStat: string): number {
  const [total = '', ...rest] = procStat.split('\n');
  const processors = rest.filter((line) => /^cpu\d/.test(line)).length;
  return (Number(total.split(/\s+/)[stealColumn] ?? 0) * msPerTick) / Math.max(1, processors);
}
