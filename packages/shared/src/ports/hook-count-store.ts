import type { ListedRow } from '../domain/page.ts';

/** The hooks of one integration in one hour. */
export interface HookCounts {
  readonly integrationId: string;
  /** When the hour begins: a full hour in UTC. */
  readonly hour: Date;
  /** Answered with 202, repetitions included. Requests that a mapping ignores are not counted. */
  readonly accepted: number;
  readonly refused: number;
}

const hourMs = 3_600_000;

export const hookCountLimits = {
  /** How many hours a store keeps, with the current one. */
  hours: 24,
  /** How long a store keeps the counts of an hour, from its beginning. */
  keepMs: 25 * hourMs,
} as const;

/** Returns the beginning of the hour that a time is in. */
export function toHour(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

/** Returns the beginnings of the hours whose counts are shown: oldest first, the current hour last. */
export function listCountedHours(now: Date): Date[] {
  const currentMs = toHour(now).getTime();
  return Array.from(
    { length: hookCountLimits.hours },
    (_, index) => new Date(currentMs - (hookCountLimits.hours - 1 - index) * hourMs),
  );
}

/**
 * How many hooks each integration sent, by hour, for operators. The counts are approximate: they need not survive a
 * crash, and a call of `add` that failed may have added its counts. Methods throw `UnavailableError`.
 */
export interface HookCountStore {
  /** Adds to the counts of these integrations and hours. */
  add(counts: readonly HookCounts[]): Promise<void>;
  /** Returns the counts of these integrations in these hours, in any order, without those that are 0. */
  list(integrationIds: readonly string[], hours: readonly Date[]): Promise<ListedRow<HookCounts>[]>;
}
