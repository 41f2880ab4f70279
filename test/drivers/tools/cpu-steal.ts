import { type StopwatchSource, thisMachine } from './stopwatch.ts';

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
