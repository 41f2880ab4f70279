import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import { type HourOfPod, type ProcessState, processStateLimits } from '@widget-service/shared/ports/process-states.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { identifyProcess } from '@widget-service/shared/runtime/process-identity.ts';
import type { OverviewBody } from './overview-schema.ts';

/** How long one point of the hour lasts. */
export const pointMs = 15_000;
/** One hour. */
export const pointCount = 240;
/** Delays cover the last five minutes. */
export const delayPoints = 20;

/** What a pod knows at one moment. The counts are totals since its start. */
export interface PodSample {
  readonly hooksAccepted: number;
  readonly hooksRefused: number;
  /** Of those refused: the ones for which the service is to blame, with `unavailable` or `internal`. */
  readonly hooksFailed: number;
  readonly streamsOpen: number;
  readonly personalStreamsOpen: number;
  /** How far its tail has read the event log. Null: it does not know. */
  readonly position: LogPosition | null;
  /** Events by the buckets of their delay. */
  readonly delays: readonly number[];
}

/**
 * The last hour of a pod, in memory: a pod that starts again begins a new one.
 *
 * Example: the total of accepted hooks is 100 at the end of one point and 130 at the end of the next one. So the hour
 * has 30 in that next point.
 */
export class PodSamples {
  /** The last sample within each point, by the number of the point. */
  readonly #samples = new Map<number, PodSample>();

  /** Adds a sample. Call it several times within a point: the last one counts. */
  add(nowMs: number, sample: PodSample): void {
    const point = Math.floor(nowMs / pointMs);
    // Deleted first: `readDelays` needs the newest sample last, also after the clock was set back.
    this.#samples.delete(point);
    this.#samples.set(point, sample);
    for (const old of this.#samples.keys()) if (old < point - pointCount) this.#samples.delete(old);
  }

  /** The hour up to the last complete point. */
  readHour(nowMs: number): HourOfPod {
    const lastPoint = Math.floor(nowMs / pointMs) - 1;
    const points = Array.from({ length: pointCount }, (_, index) => lastPoint - pointCount + 1 + index);
    const toDifferences = (read: (sample: PodSample, before: PodSample) => number | null) =>
      points.map((point) => {
        const sample = this.#samples.get(point);
        const before = this.#samples.get(point - 1);
        return sample === undefined || before === undefined ? null : read(sample, before);
      });
    return {
      lastPoint,
      hooksAccepted: toDifferences((sample, before) => sample.hooksAccepted - before.hooksAccepted),
      hooksRefused: toDifferences((sample, before) => sample.hooksRefused - before.hooksRefused),
      hooksFailed: toDifferences((sample, before) => sample.hooksFailed - before.hooksFailed),
      eventsPublished: toDifferences(({ position }, before) => countEvents(before.position, position)),
      streamsOpen: points.map((point) => this.#samples.get(point)?.streamsOpen ?? null),
      personalStreamsOpen: points.map((point) => this.#samples.get(point)?.personalStreamsOpen ?? null),
    };
  }

  /** The events of the last five minutes, or since the start of a younger pod, by the buckets of their delay. */
  readDelays(nowMs: number): number[] {
    const start = Math.floor(nowMs / pointMs) - delayPoints;
    const samples = [...this.#samples];
    const before = samples.findLast(([point]) => point <= start)?.[1].delays;
    return (samples.at(-1)?.[1].delays ?? []).map((count, bucket) => count - (before?.[bucket] ?? 0));
  }
}

/** How many events are between two positions. Null if they cannot be compared: the log began anew. */
function countEvents(from: LogPosition | null, to: LogPosition | null): number | null {
  if (from === null || to === null || from.epoch !== to.epoch) return null;
  return Math.max(0, to.seq - from.seq);
}

/**
 * Adds the hours of all pods. Each pod sees all events of the log, so the events are not added: the pod that saw most
 * counts. A point is unknown only if no pod knows it.
 */
export function addHours(hours: readonly HourOfPod[], lastPoint: number): HourOfPod {
  const add = (name: keyof Omit<HourOfPod, 'lastPoint'>, addKnown = sum) =>
    Array.from({ length: pointCount }, (_, index) => {
      // Pods may end at different points, so each hour is shifted to `lastPoint`.
      const known = hours.flatMap((hour) => hour[name][index + lastPoint - hour.lastPoint] ?? []);
      return known.length === 0 ? null : addKnown(known);
    });
  return {
    lastPoint,
    hooksAccepted: add('hooksAccepted'),
    hooksRefused: add('hooksRefused'),
    hooksFailed: add('hooksFailed'),
    eventsPublished: add('eventsPublished', (values) => Math.max(...values)),
    streamsOpen: add('streamsOpen'),
    personalStreamsOpen: add('personalStreamsOpen'),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Merges the delays of all pods. Each pod has measured every event. `bounds` are the upper bounds of the buckets, in
 * seconds. Leaves out a pod of another version, whose histogram has other buckets.
 */
export function describeDelays(
  pods: readonly (readonly number[])[],
  bounds: readonly number[],
): OverviewBody['eventDelay'] {
  const [first = [], ...others] = pods.filter(({ length }) => length === bounds.length + 1);
  const counts = first.map((count, bucket) => others.reduce((total, other) => total + (other[bucket] ?? 0), count));
  const toMs = (quantile: number) => {
    const seconds = estimateQuantile(quantile, bounds, counts);
    return seconds === null ? null : Math.round(seconds * 1_000);
  };
  return { windowSeconds: (delayPoints * pointMs) / 1_000, p50Ms: toMs(0.5), p95Ms: toMs(0.95) };
}

/**
 * Estimates a quantile, 0 to 1, of a histogram: it assumes that the values of a bucket are spread evenly, as Prometheus
 * does. The last bucket has no upper bound, so a quantile in it is its lower bound. Returns null if nothing was
 * counted.
 */
function estimateQuantile(quantile: number, bounds: readonly number[], counts: readonly number[]): number | null {
  const total = sum(counts);
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

export interface DescribePodDeps {
  readonly clock: Clock;
  readonly streamsMax: number;
  readonly metrics: Pick<Metrics, 'hooksAccepted' | 'hooksRefused' | 'tailLagEvents' | 'eventDeliverySeconds'>;
  readonly hub: { size(): number; countPersonal(): number };
  /** Returns how far this pod's tail has read the event log. */
  readonly tailPosition: () => LogPosition | null;
  /** Why this pod refuses hooks now. Null: it accepts them. */
  readonly hookFailure: () => string | null;
  readonly listNotReady: () => string[];
  readonly isControlUnreachable: () => boolean;
}

/** Makes the function that describes this pod now. Call it every few seconds: it also samples the hour's figures. */
export function makeDescribePod(deps: DescribePodDeps): () => Promise<ProcessState> {
  const { clock, metrics, hub } = deps;
  const samples = new PodSamples();
  const identity = identifyProcess(clock.now().getTime());
  return async () => {
    const { hooksAccepted, hooksRefused, tailLagEvents, eventDeliverySeconds } = metrics;
    const lag = await readTotal(tailLagEvents);
    const streamsOpen = hub.size();
    const personalStreamsOpen = hub.countPersonal();
    const sample = {
      hooksAccepted: await readTotal(hooksAccepted),
      hooksRefused: await readTotal(hooksRefused),
      hooksFailed: await readTotal(hooksRefused, ({ code }) => code === 'unavailable' || code === 'internal'),
      streamsOpen,
      personalStreamsOpen,
      position: deps.tailPosition(),
      delays: eventDeliverySeconds.labels({}).readCounts(),
    };
    const nowMs = clock.now().getTime();
    samples.add(nowMs, sample);
    const pod = {
      streamsOpen,
      streamsMax: deps.streamsMax,
      isListCut: streamsOpen - personalStreamsOpen > processStateLimits.listedStreams,
      lagEvents: Number.isNaN(lag) ? null : lag,
      hookFailure: deps.hookFailure(),
      isControlUnreachable: deps.isControlUnreachable(),
      hour: samples.readHour(nowMs),
      eventDelays: samples.readDelays(nowMs),
    };
    return { ...identity, notReady: deps.listNotReady(), pod };
  };
}

type Labels = Readonly<Partial<Record<string, string | number>>>;

/** Returns the sum of a metric of this pod over its labels, all or some: the same that Prometheus gets. */
async function readTotal(
  metric: { get(): Promise<{ readonly values: readonly { readonly value: number; readonly labels: Labels }[] }> },
  counts: (labels: Labels) => boolean = () => true,
): Promise<number> {
  const { values } = await metric.get();
  return values.reduce((total, { value, labels }) => (counts(labels) ? total + value : total), 0);
}
