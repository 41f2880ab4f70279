import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';

/** How long one point of the history lasts. */
export const pointMs = 15_000;
/** One hour. */
export const pointCount = 240;

/** What a pod knows at one moment. The counts are totals since its start. */
export interface PodSample {
  readonly hooksAccepted: number;
  readonly hooksRefused: number;
  /** Those among them that break the promise to accept valid hooks: they got 5xx. */
  readonly hooksFailed: number;
  readonly streamsOpen: number;
  /** How many of them are streams of sessions. */
  readonly personalStreamsOpen: number;
  /** How far its tail has read the event log. Null: it does not know. */
  readonly position: LogPosition | null;
}

/** Points of 15 s, the oldest first. Null: unknown, because the pod did not run or did not know. */
export interface History {
  /** The number of the last point: its end is at `(lastPoint + 1) * pointMs` of the Unix time. */
  readonly lastPoint: number;
  readonly hooksAccepted: readonly (number | null)[];
  readonly hooksRefused: readonly (number | null)[];
  readonly hooksFailed: readonly (number | null)[];
  readonly eventsPublished: readonly (number | null)[];
  readonly streamsOpen: readonly (number | null)[];
  readonly personalStreamsOpen: readonly (number | null)[];
}

/**
 * The last hour of a pod, in memory: a pod that starts again begins a new one.
 *
 * Example: the total of accepted hooks is 100 at the end of one point and 130 at the end of the next one. So the
 * history of that next point is 30.
 */
export class PodHistory {
  /** The last sample within each point, by the number of the point. */
  readonly #samples = new Map<number, PodSample>();

  /** Adds a sample. Call it several times within a point: the last one counts. */
  add(nowMs: number, sample: PodSample): void {
    const point = Math.floor(nowMs / pointMs);
    this.#samples.set(point, sample);
    for (const old of this.#samples.keys()) if (old < point - pointCount) this.#samples.delete(old);
  }

  /** The hour up to the last complete point. */
  read(nowMs: number): History {
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
}

/** How many events are between two positions. Null if they cannot be compared: the log began anew. */
function countEvents(from: LogPosition | null, to: LogPosition | null): number | null {
  if (from === null || to === null || from.epoch !== to.epoch) return null;
  return Math.max(0, to.seq - from.seq);
}

/**
 * Adds the histories of all pods. Each pod sees all events of the log, so the events are not added: the pod that saw
 * most counts. A point is unknown only if no pod knows it.
 */
export function mergeHistories(histories: readonly History[], lastPoint: number): History {
  const read = (history: History, name: keyof Omit<History, 'lastPoint'>, index: number) =>
    history[name][index + lastPoint - history.lastPoint] ?? null;
  const merge = (name: keyof Omit<History, 'lastPoint'>, add: (values: number[]) => number) =>
    Array.from({ length: pointCount }, (_, index) => {
      const known = histories.map((history) => read(history, name, index)).filter((value) => value !== null);
      return known.length === 0 ? null : add(known);
    });
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    lastPoint,
    hooksAccepted: merge('hooksAccepted', sum),
    hooksRefused: merge('hooksRefused', sum),
    hooksFailed: merge('hooksFailed', sum),
    eventsPublished: merge('eventsPublished', (values) => Math.max(...values)),
    streamsOpen: merge('streamsOpen', sum),
    personalStreamsOpen: merge('personalStreamsOpen', sum),
  };
}
