import { readFileSync } from 'node:fs';

/** `/proc/stat` counts in 1/100 s on every Linux that Node.js runs on (USER_HZ, proc_stat(5)). */
const msPerTick = 10;
const stealColumn = 8;
/**
 * Of the elapsed time, at most this share is subtracted. So a test fails in the end even if the host gives this machine
 * no CPU time at all.
 */
const stolenShareMax = 0.8;

/** The times that a stopwatch reads, both in milliseconds since any fixed moment. */
export interface StopwatchSource {
  elapsedMs(): number;
  /** The stolen time: the host ran other machines although this one had work. It is the mean over all processors. */
  stolenMs(): number;
}

/**
 * Starts a stopwatch and returns a function that reads it, in milliseconds. It subtracts stolen time, because the
 * bounds that the service promises are those of a dedicated machine.
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
      return parseStolenMs(readFileSync('/proc/stat', 'utf8'));
    } catch {
      // Other systems than Linux do not count stolen time.
      return 0;
    }
  },
};

/** Parses `/proc/stat`: its first line sums all processors, and the next lines are one processor each. */
export function parseStolenMs(procStat: string): number {
  const [total = '', ...rest] = procStat.split('\n');
  const processors = rest.filter((line) => /^cpu\d/.test(line)).length;
  return (Number(total.split(/\s+/)[stealColumn] ?? 0) * msPerTick) / Math.max(1, processors);
}

const sampleEveryMs = 100;
/**
 * Work that was delayed before a range may still delay operations in it. So a range also covers this time before it.
 */
const lookBackMs = 1_000;
/**
 * As a share of each processor's time. Observed on shared machines: a few percent for hours, and most of it for
 * minutes.
 */
const starvedShare = 0.25;

/** Records when the host gave this machine's processors to others, so that tests do not blame the service for it. */
export interface CpuStealWatch {
  /** Returns true if more than a quarter of this range was stolen. Times are those of `performance.now()`. */
  wasStarved(fromMs: number, toMs: number): boolean;
  close(): void;
}

/** Reads the stolen time every 100 ms. */
export function watchCpuSteal(source: StopwatchSource = thisMachine): CpuStealWatch {
  const samples: { readonly atMs: number; readonly stolenMs: number }[] = [];
  const sample = () => samples.push({ atMs: source.elapsedMs(), stolenMs: source.stolenMs() });
  sample();
  const timer = setInterval(sample, sampleEveryMs);
  return {
    wasStarved: (fromMs, toMs) => {
      const before = samples.findLast(({ atMs }) => atMs <= fromMs - lookBackMs) ?? samples[0];
      const after = samples[samples.findLastIndex(({ atMs }) => atMs < toMs) + 1] ?? samples.at(-1);
      if (before === undefined || after === undefined) return false;
      return after.stolenMs - before.stolenMs > starvedShare * (after.atMs - before.atMs);
    },
    close: () => clearInterval(timer),
  };
}
