import { describe, expect, test } from 'vitest';
import { mergeHistories, PodHistory, type PodSample, pointCount, pointMs } from './pod-history.ts';

const at = (point: number, afterMs = 1_000) => point * pointMs + afterMs;
const sample = (hooksAccepted: number, seq: number, epoch = 'a'): PodSample => ({
  hooksAccepted,
  hooksRefused: hooksAccepted / 10,
  hooksFailed: hooksAccepted / 20,
  streamsOpen: hooksAccepted / 5,
  personalStreamsOpen: hooksAccepted / 10,
  position: { epoch, ms: 0, seq },
});
const last = <T>(values: readonly T[], count: number) => values.slice(-count);

describe('the history of a pod', () => {
  test('is the difference of the last samples of two points, without the point that has not ended', () => {
    const history = new PodHistory();
    history.add(at(9), sample(100, 50));
    history.add(at(10), sample(110, 55));
    history.add(at(10, 14_000), sample(130, 57));
    history.add(at(11), sample(1_000, 99));
    const read = history.read(at(11, 2_000));
    expect(read.lastPoint).toBe(10);
    expect(read.hooksAccepted).toHaveLength(pointCount);
    expect(last(read.hooksAccepted, 2)).toEqual([null, 30]);
    expect(last(read.eventsPublished, 1)).toEqual([7]);
    expect(last(read.streamsOpen, 3)).toEqual([null, 20, 26]);
    expect(last(read.personalStreamsOpen, 3)).toEqual([null, 10, 13]);
  });

  test('is unknown where the pod took no sample, and where the log began anew', () => {
    const history = new PodHistory();
    history.add(at(5), sample(0, 5));
    history.add(at(7), sample(10, 6));
    history.add(at(8), sample(20, 1, 'b'));
    const read = history.read(at(9));
    expect(last(read.hooksAccepted, 3)).toEqual([null, null, 10]);
    expect(last(read.eventsPublished, 1)).toEqual([null]);
  });

  test('keeps one hour', () => {
    const history = new PodHistory();
    for (let point = 0; point <= 1_000; point += 1) history.add(at(point), sample(point * 10, point));
    expect(history.read(at(1_001)).hooksAccepted).toEqual(Array.from({ length: pointCount }, () => 10));
  });
});

describe('the history of all pods', () => {
  test('adds what each pod did, and counts the events of the log once', () => {
    const [one, other] = [new PodHistory(), new PodHistory()];
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
    const merged = mergeHistories([one.read(at(6)), other.read(at(6))], 5);
    expect(last(merged.hooksAccepted, 3)).toEqual([null, 10, 25]);
    expect(last(merged.eventsPublished, 2)).toEqual([1, 1]);
    expect(last(merged.personalStreamsOpen, 3)).toEqual([0, 11, 13.5]);
  });

  test('moves a history that ends at another point', () => {
    const pod = new PodHistory();
    for (const [point, accepted] of [
      [3, 0],
      [4, 10],
    ] as const)
      pod.add(at(point), sample(accepted, point));
    const merged = mergeHistories([pod.read(at(5))], 6);
    expect(last(merged.hooksAccepted, 3)).toEqual([10, null, null]);
  });
});
