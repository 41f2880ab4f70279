import type { Sink } from '@widget-service/api/streams/fan-out/chunk.ts';
import { Chunk } from '@widget-service/api/streams/fan-out/chunk.ts';
import type { Frame } from '@widget-service/api/streams/fan-out/frame.ts';
import { Ring } from '@widget-service/api/streams/fan-out/ring.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import { StreamWatch } from './stream-watch.ts';

const event = { type: 'widget.updated', widgetId: null, state: null, stateBefore: null, labels: null } as const;
const frame = (seq: number, previousMs: number | null): Frame => ({
  ...{ ms: seq * 10, seq, previousMs, bytes: Buffer.alloc(1) },
  ...event,
});
const at = (seq: number, ms = seq * 10) => ({ epoch: 'e', ms, seq });
const chunk = (id: string) => new Chunk(Buffer.from(`id: ${id}\nevent: widget.updated\ndata: {}\n\n`));

describe('StreamWatch', () => {
  const process = { name: 'pod-1', isDead: false, isAwake: true };
  let stepViolations: string[];
  let ring: Ring;
  let watch: StreamWatch;
  let unsentBytes: number;
  let sink: Sink;

  beforeEach(() => {
    Object.assign(process, { isDead: false, isAwake: true });
    stepViolations = [];
    ring = new Ring({ frames: 10, bytes: 1_000 });
    watch = new StreamWatch(process as SimulatedProcess, ring, (violation) => stepViolations.push(violation));
    ring.reset(at(1));
    unsentBytes = 0;
    sink = { unsentBytes: () => unsentBytes, write: () => undefined } as unknown as Sink;
  });

  test('accepts a stream whose position is in the history of the ring', () => {
    const stream = watch.follow(sink, at(1), false);
    watch.check(0);
    ring.push(frame(2, 10));
    ring.push(frame(3, null));
    stream.sink.write(chunk('e.20.2'));
    stream.sink.write(chunk('e.30.3'));
    watch.check(100_000);
    expect(stepViolations).toEqual([]);
  });

  test.each([frame(2, 11), frame(3, 10)])('reports a ring that continues with another history (%#)', (other) => {
    ring.push(other);
    expect(stepViolations).toHaveLength(1);
  });

  test('reports a stream that stays open when the ring is reset, until it is forgotten', () => {
    const stream = watch.follow(sink, at(1), true);
    ring.reset(at(1));
    watch.check(0);
    stream.forget();
    watch.check(0);
    expect(stepViolations).toEqual(['pod-1: a stream stays open when the ring is reset']);
  });

  test('reports a stream that joins with a position of another epoch', () => {
    watch.follow(sink, { ...at(1), epoch: 'f' }, true);
    watch.check(0);
    expect(stepViolations).toEqual(['pod-1: a stream of epoch f joins a ring of epoch e']);
  });

  test('reports at once a stream that joins at the end of another history', () => {
    unsentBytes = 1;
    watch.follow(sink, at(1, 11), false);
    watch.check(0);
    expect(stepViolations).toHaveLength(1);
  });

  test('reports a stream that stays in another history than the ring when nothing is pending', () => {
    watch.follow(sink, at(2, 21), false);
    watch.check(0);
    ring.push(frame(2, 10));
    watch.check(0);
    unsentBytes = 1;
    watch.check(10_000);
    unsentBytes = 0;
    process.isAwake = false;
    watch.check(20_000);
    process.isAwake = true;
    watch.check(30_000);
    watch.check(32_500);
    expect(stepViolations).toEqual([]);
    watch.check(32_501);
    expect(stepViolations).toEqual(['pod-1: a stream stays at the end of the ring in another history']);
  });

  test('learns the position of a stream from the ids that are written to it', () => {
    const stream = watch.follow(sink, at(1), false);
    ring.push(frame(2, 10));
    stream.sink.write(new Chunk(Buffer.concat([chunk('e.20.1').plain, chunk('e.21.2').plain])));
    stream.sink.write(new Chunk(Buffer.from(': nothing new\n\n')));
    watch.check(0);
    expect(stepViolations).toEqual(['pod-1: a stream stays at the end of the ring in another history']);
  });

  test('checks nothing in a dead pod', () => {
    watch.follow(sink, { ...at(1), epoch: 'f' }, false);
    process.isDead = true;
    watch.check(0);
    expect(stepViolations).toEqual([]);
  });
});
