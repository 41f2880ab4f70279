import { describe, expect, test } from 'vitest';
import { describeDelays, RecentDelays } from './recent-delays.ts';

const windowMs = 5 * 60_000;

describe('the recent delays of a pod', () => {
  test('are those since its start, before the window is full', () => {
    let counts = [0, 0];
    const delays = new RecentDelays(() => counts, 0);
    counts = [3, 1];
    delays.sample(5_000);
    counts = [4, 1];
    expect(delays.read(7_000)).toEqual([4, 1]);
  });

  test('leave out what is older than the window', () => {
    let total = 0;
    const delays = new RecentDelays(() => [total], 0);
    // One event after each sample.
    for (let atMs = 0; atMs <= 3 * windowMs; atMs += 5_000) {
      delays.sample(atMs);
      total += 1;
    }
    expect(delays.read(3 * windowMs)).toEqual([windowMs / 5_000 + 1]);
    expect(delays.read(3 * windowMs + 4_999)).toEqual([windowMs / 5_000 + 1]);
    // No sample for long: the newest one is the start of the window.
    expect(delays.read(9 * windowMs)).toEqual([1]);
  });
});

describe('the delays of all pods', () => {
  const bounds = [0.01, 0.1, 1];
  const describeOne = (counts: number[]) => describeDelays([{ eventDelays: counts }], bounds);

  test.each([
    ['within the first bucket', [100, 0, 0, 0], 5, 10],
    ['in two buckets', [50, 50, 0, 0], 10, 91],
    ['beyond empty buckets', [0, 0, 10, 0], 550, 955],
    ['above the last bound', [1, 0, 0, 99], 1_000, 1_000],
  ])('are estimated %s', (_, counts, p50Ms, p95Ms) => {
    expect(describeOne(counts)).toEqual({ windowSeconds: 300, p50Ms, p95Ms });
  });

  test('are null if no pod has measured an event', () => {
    const nothing = { windowSeconds: 300, p50Ms: null, p95Ms: null };
    expect(describeOne([0, 0, 0, 0])).toEqual(nothing);
    expect(describeDelays([], bounds)).toEqual(nothing);
    expect(describeDelays([{}, { eventDelays: [7, 7] }], bounds)).toEqual(nothing);
  });

  test('are added, without those of pods of other versions', () => {
    const pods = [{ eventDelays: [50, 0, 0, 0] }, { eventDelays: [0, 50, 0, 0] }, {}, { eventDelays: [0, 0, 900] }];
    expect(describeDelays(pods, bounds)).toEqual(describeOne([50, 50, 0, 0]));
  });
});
