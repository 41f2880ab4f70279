import { type StopwatchSource, thisMachine } from '../drivers/stopwatch.ts';

const sampleEveryMs = 100;
/** For so long before something began it may have been held up by what had not been done by then. */
const lookBackMs = 1_000;
/** Of a processor's time on average. Seen on shared machines: some hundredths for hours, and most of it for minutes. */
const starvedShare = 0.25;

/** Tells when the machine worked for others, so that it is not counted against the service. */
export interface MachineWatch {
  /** Whether so much of this time (of `performance.now()`) was given to others that nothing can be promised in it. */
  wasStarved(fromMs: number, toMs: number): boolean;
  close(): void;
}

/** Looks every tenth of a second how much of the time of its processors the host has given to others. */
export function watchMachine(source: StopwatchSource = thisMachine): MachineWatch {
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
