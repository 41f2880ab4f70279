/** Percentiles are of the events of this long. */
const delayWindowMs = 5 * 60_000;

interface Sample {
  readonly atMs: number;
  readonly counts: readonly number[];
}

/**
 * The delays of the last five minutes of a pod, as counts per bucket of a histogram.
 *
 * Example: a bucket has counted 100 events since the start of the pod, and 70 five minutes ago. So its count is 30.
 */
export class RecentDelays {
  readonly #readCounts: () => readonly number[];
  /** The oldest first. The first one may be older than the window: the window begins with it. */
  #samples: readonly Sample[];

  /** `readCounts` returns the counts since the start of the process. */
  constructor(readCounts: () => readonly number[], nowMs: number) {
    this.#readCounts = readCounts;
    this.#samples = [{ atMs: nowMs, counts: readCounts() }];
  }

  /** Takes a sample. Call it every few seconds: the window is too long by up to the time between two samples. */
  sample(nowMs: number): void {
    const start = this.#findStart(nowMs);
    this.#samples = [...this.#samples.slice(start), { atMs: nowMs, counts: this.#readCounts() }];
  }

  /** Returns the counts of the window that ends now. */
  read(nowMs: number): number[] {
    const before = this.#samples[this.#findStart(nowMs)]?.counts;
    return this.#readCounts().map((count, bucket) => count - (before?.[bucket] ?? 0));
  }

  /** The index of the newest sample that is as old as the window, or of the oldest one. */
  #findStart(nowMs: number): number {
    const index = this.#samples.findLastIndex(({ atMs }) => atMs <= nowMs - delayWindowMs);
    return Math.max(0, index);
  }
}

/** How long events took from the acceptance of their hook or creation to the streams. Null: there were none. */
export interface EventDelay {
  readonly windowSeconds: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/**
 * Merges the delays that pods have measured, each of every event. `bounds` are the upper bounds of the buckets, in
 * seconds. Leaves out a pod of another version, whose histogram has other buckets or which sent no delays.
 */
export function describeDelays(
  pods: readonly { readonly eventDelays?: readonly number[] | undefined }[],
  bounds: readonly number[],
): EventDelay {
  const counts = mergeCounts(
    pods.flatMap(({ eventDelays = [] }) => (eventDelays.length === bounds.length + 1 ? [eventDelays] : [])),
  );
  const toMs = (quantile: number) => {
    const seconds = estimateQuantile(quantile, bounds, counts);
    return seconds === null ? null : Math.round(seconds * 1_000);
  };
  return { windowSeconds: delayWindowMs / 1_000, p50Ms: toMs(0.5), p95Ms: toMs(0.95) };
}

function mergeCounts([first = [], ...others]: readonly (readonly number[])[]): readonly number[] {
  return first.map((count, bucket) => others.reduce((total, other) => total + (other[bucket] ?? 0), count));
}

/**
 * Estimates a quantile, 0 to 1, of a histogram: it assumes that the values of a bucket are spread evenly, as Prometheus
 * does. `bounds` are the upper bounds of the buckets; the last bucket has none, so a quantile in it is its lower bound.
 * Returns null if nothing was counted.
 */
function estimateQuantile(quantile: number, bounds: readonly number[], counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    const rank = quantile * total - below;
    const lower = bounds[bucket - 1] ?? 0;
    if (rank <= count && count > 0) return lower + ((bounds[bucket] ?? lower) - lower) * (rank / count);
    below += count;
  }
  return bounds.at(-1) ?? null;
}
