import { expect } from 'vitest';
import type { CreateOperation, HookOperation, Recording } from '../drivers/cluster/recording.ts';
import {
  excludeStarved,
  findEndedStreams,
  findLateOrWrongAnswers,
  selectCreates,
  selectHooks,
  type TimeRange,
} from './recording-queries.ts';

/**
 * Asserts the behaviour while Redis is unavailable. Every hook is answered within 2 s, and most are refused. Every
 * create succeeds within 2 s. No stream has ended since the outage began.
 */
export function expectRedisOutage(recording: Recording, outage: TimeRange): void {
  const hooks = excludeStarved(selectHooks(recording, outage));
  expect(findLateOrWrongAnswers(hooks)).toEqual([]);
  expectMostRefused(hooks);
  // A few creates reuse a key with another body. These get 409.
  const creates = excludeStarved(selectCreates(recording, outage)).filter(({ status }) => status !== 409);
  expect(creates.filter(({ status }) => status !== 201)).toEqual([]);
  expect(findLateOrWrongAnswers(creates)).toEqual([]);
  expectStreamsToStay(recording, outage);
}

/**
 * Asserts the behaviour while MongoDB is unavailable. Every hook is accepted within 2 s. Every create is answered
 * within 2 s, and most are refused. No stream has ended since the outage began.
 */
export function expectMongoOutage(recording: Recording, outage: TimeRange): void {
  expectMongoFailover(recording, outage);
  expectMostRefused(excludeStarved(selectCreates(recording, outage)));
}

/** The same, but as many creates may succeed as can. */
export function expectMongoFailover(recording: Recording, outage: TimeRange): void {
  const hooks = excludeStarved(selectHooks(recording, outage));
  expect(hooks.filter(({ status }) => status !== 202)).toEqual([]);
  expect(findLateOrWrongAnswers(hooks)).toEqual([]);
  // A few creates reuse a key with another body. These get 409.
  const creates = selectCreates(recording, outage).filter(({ status }) => status !== 409);
  expect(findLateOrWrongAnswers(creates)).toEqual([]);
  expectStreamsToStay(recording, outage);
}

/**
 * Asserts nothing without operations: all of them may have been excluded, because the machine had too little CPU time.
 */
function expectMostRefused(operations: readonly (HookOperation | CreateOperation)[]): void {
  const refused = operations.filter(({ status }) => status === 503);
  if (operations.length > 0) expect(refused.length).toBeGreaterThan(operations.length / 2);
}

function expectStreamsToStay(recording: Recording, { fromMs }: TimeRange): void {
  expect(findEndedStreams(recording, { fromMs, toMs: performance.now() })).toEqual([]);
}
