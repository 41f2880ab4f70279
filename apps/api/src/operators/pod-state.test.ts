import { describe, expect, test } from 'vitest';
import { addHours, describeDelays, type PodSample, PodSamples, pointCount, pointMs } from './pod-state.ts';

const at = (point: number, afterMs = 1_000) => point * pointMs + afterMs;
const sample = (hooksAccepted: number, seq: number, epoch = 'a'): PodSample => ({
  hooksAccepted,
  hooksRefused: hooksAccepted / 10,
  hooksFailed: hooksAccepted / 20,
  streamsOpen: hooksAccepted / 5,
  personalStreamsOpen: hooksAccepted / 10,
  position: { epoch, ms: 0, seq },
  delays: [hooksAccepted, 1],
});
const last = <T>(values: readonly T[], count: number) => values.slice(-count);

describe('the hour of a pod', () => {
  test('is the difference of the last samples of two points, without the point that has not ended', () => {
    const samples = new PodSamples();
    samples.add(at(9), sample(100, 50));
    samples.add(at(10), sample(110, 55));
    samples.add(at(10, 14_000), sample(130, 57));
    samples.add(at(11), sample(1_000, 99));
    const read = samples.readHour(at(11, 2_000));
    expect(read.lastPoint).toBe(10);
    expect(read.hooksAccepted).toHaveLength(pointCount);
    expect(last(read.hooksAccepted, 2)).toEqual([null, 30]);
    expect(last(read.eventsPublished, 1)).toEqual([7]);
    expect(last(read.streamsOpen, 3)).toEqual([null, 20, 26]);
    expect(last(read.personalStreamsOpen, 3)).toEqual([null, 10, 13]);
  });

  test('is unknown where the pod took no sample, and where the log began anew', () => {
    const samples = new PodSamples();
    samples.add(at(5), sample(0, 5));
    samples.add(at(7), sample(10, 6));
    samples.add(at(8), sample(20, 1, 'b'));
    const read = samples.readHour(at(9));
    expect(last(read.hooksAccepted, 3)).toEqual([null, null, 10]);
    expect(last(read.eventsPublished, 1)).toEqual([null]);
  });

  test('keeps one hour', () => {
    const samples = new PodSamples();
    for (let point = 0; point <= 1_000; point += 1) samples.add(at(point), sample(point * 10, point));
    expect(samples.readHour(at(1_001)).hooksAccepted).toEqual(Array.from({ length: pointCount }, () => 10));
  });
});

describe('the hours of all pods', () => {
  test('adds what each pod did, and counts the events of the log once', () => {
    const [one, other] = [new PodSamples(), new PodSamples()];
    for (const [point, accepted] of [
      [3, 0],
      [4, 10],
      [5, 30],
    ] as const)
      one.add(at(point), sample(accepted, point));
    for (const [point, accepted] of [
      [4, 100],
      [5, 105],
    ] as const)
      other.add(at(point), sample(accepted, point));
    const merged = addHours([one.readHour(at(6)), other.readHour(at(6))], 5);
    expect(last(merged.hooksAccepted, 3)).toEqual([null, 10, 25]);
    expect(last(merged.eventsPublished, 2)).toEqual([1, 1]);
    expect(last(merged.personalStreamsOpen, 3)).toEqual([0, 11, 13.5]);
  });

  test('moves an hour that ends at another point', () => {
    const pod = new PodSamples();
    for (const [point, accepted] of [
      [3, 0],
      [4, 10],
    ] as const)
      pod.add(at(point), sample(accepted, point));
    const merged = addHours([pod.readHour(at(5))], 6);
    expect(last(merged.hooksAccepted, 3)).toEqual([10, null, null]);
  });
});

describe('the delays of a pod', () => {
  test('are those since its start, before five minutes are full', () => {
    const samples = new PodSamples();
    expect(samples.readDelays(at(0))).toEqual([]);
    samples.add(at(1), sample(3, 0));
    samples.add(at(2), sample(4, 0));
    expect(samples.readDelays(at(2))).toEqual([4, 1]);
  });

  test('leave out what is older than five minutes', () => {
    const samples = new PodSamples();
    for (let point = 0; point <= 60; point += 1) samples.add(at(point), sample(point, 0));
    expect(samples.readDelays(at(60))).toEqual([20, 0]);
    // No sample for long.
    samples.add(at(200), sample(70, 0));
    expect(samples.readDelays(at(200))).toEqual([10, 0]);
  });
});

describe('the delays of all pods', () => {
  const bounds = [0.01, 0.1, 1];
  const describeOne = (counts: number[]) => describeDelays([counts], bounds);

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
    expect(describeDelays([[], [7, 7]], bounds)).toEqual(nothing);
  });

  test('are added, without those of pods of other versions', () => {
    const pods = [[50, 0, 0, 0], [0, 50, 0, 0], [], [0, 0, 900]];
    expect(describeDelays(pods, bounds)).toEqual(describeOne([50, 50, 0, 0]));
  });
});
