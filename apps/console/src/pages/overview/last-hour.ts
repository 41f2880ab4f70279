import type { Schemas } from '../../service/service.ts';

/** One value for each point of time. Null: no pod knows it. */
export type Values = readonly (number | null)[];

/** The last hour, as the overview shows it. All members have one value for each of `timesMs`. */
export interface LastHour {
  /** When each point ended, in milliseconds of Unix time. */
  readonly timesMs: readonly number[];
  readonly acceptedPerSecond: Values;
  readonly refusedPerSecond: Values;
  /** How many of the hooks were refused. */
  readonly refusedPercent: Values;
  readonly publishedPerSecond: Values;
  /** Without those of consoles. */
  readonly streamsOpen: Values;
  readonly consoleStreams: Values;
}

/** Returns rates and shares instead of counts. */
export function readLastHour(history: Schemas['Overview']['history']): LastHour {
  const { intervalSeconds, endsAt, hooksAccepted, hooksRefused, eventsPublished, streamsOpen, personalStreamsOpen } =
    history;
  const endsAtMs = Date.parse(endsAt);
  const last = streamsOpen.length - 1;
  const toRates = (counts: Values) => counts.map((count) => (count === null ? null : count / intervalSeconds));
  return {
    timesMs: streamsOpen.map((_, index) => endsAtMs - (last - index) * intervalSeconds * 1_000),
    acceptedPerSecond: toRates(hooksAccepted),
    refusedPerSecond: toRates(hooksRefused),
    refusedPercent: hooksRefused.map((refused, index) => toPercent(refused, hooksAccepted[index] ?? null)),
    publishedPerSecond: toRates(eventsPublished),
    streamsOpen: streamsOpen.map((open, index) => (open === null ? null : open - (personalStreamsOpen[index] ?? 0))),
    consoleStreams: personalStreamsOpen,
  };
}

function toPercent(refused: number | null, accepted: number | null): number | null {
  if (refused === null || accepted === null) return null;
  return refused === 0 ? 0 : (100 * refused) / (refused + accepted);
}

/** Returns the index of the newest point of which something is known, or the last index if nothing is known. */
export function findNewest(values: Values): number {
  const newest = values.findLastIndex((value) => value !== null);
  return newest === -1 ? values.length - 1 : newest;
}
