import { Chunk } from '@widget-service/api/stream/chunk.ts';
import type { Frame } from '@widget-service/api/stream/frame.ts';
import type { Sink } from '@widget-service/api/stream/response-sink.ts';
import { Ring } from '@widget-service/api/stream/ring.ts';
import { beforeEach, describe, expect, it } from 'vitest';
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
  let missteps: string[];
  let ring: Ring;
  let watch: StreamWatch;
  let unsentBytes: number;
  let sink: Sink;

  beforeEach(() => {
    Object.assign(process, { isDead: false, isAwake: true });
    missteps = [];
    ring = new Ring({ frames: 10, bytes: 1_000 });
    watch = new StreamWatch(process as SimulatedProcess, ring, (misstep) => missteps.push(misstep));
    ring.reset(at(1));
    unsentBytes = 0;
    sink = { unsentBytes: () => unsentBytes, write: () => undefined } as unknown as Sink;
  });

  it('has nothing against a stream that stands in the history of its ring', () => {
    const stream = watch.follow(sink, at(1), false);
    watch.look(0);
    ring.push(frame(2, 10));
    ring.push(frame(3, null));
    stream.sink.write(chunk('e.20.2'));
    stream.sink.write(chunk('e.30.3'));
    watch.look(100_000);
    expect(missteps).toEqual([]);
  });

  it.each([frame(2, 11), frame(3, 10)])('sees a ring that passes into another history (%#)', (other) => {
    ring.push(other);
    expect(missteps).toHaveLength(1);
  });

  it('sees who stays when the pod finds its place anew, until it is forgotten', () => {
    const stream = watch.follow(sink, at(1), true);
    ring.reset(at(1));
    watch.look(0);
    stream.forget();
    watch.look(0);
    expect(missteps).toEqual(['pod-1: a stream stays open when the pod finds its place anew']);
  });

  it('sees who joins with a position of another epoch', () => {
    watch.follow(sink, { ...at(1), epoch: 'f' }, true);
    watch.look(0);
    expect(missteps).toEqual(['pod-1: a stream of f joins those of e']);
  });

  it('sees at once who joins at the end of another history', () => {
    unsentBytes = 1;
    watch.follow(sink, at(1, 11), false);
    watch.look(0);
    expect(missteps).toHaveLength(1);
  });

  it('sees who stays in another history than the ring, when there is nothing else to be done', () => {
    watch.follow(sink, at(2, 21), false);
    watch.look(0);
    ring.push(frame(2, 10));
    watch.look(0);
    unsentBytes = 1;
    watch.look(10_000);
    unsentBytes = 0;
    process.isAwake = false;
    watch.look(20_000);
    process.isAwake = true;
    watch.look(30_000);
    watch.look(32_500);
    expect(missteps).toEqual([]);
    watch.look(32_501);
    expect(missteps).toEqual(['pod-1: a stream stays where the ring ends in another history']);
  });

  it('knows where a stream stands by what is written to it', () => {
    const stream = watch.follow(sink, at(1), false);
    ring.push(frame(2, 10));
    stream.sink.write(new Chunk(Buffer.concat([chunk('e.20.1').plain, chunk('e.21.2').plain])));
    stream.sink.write(new Chunk(Buffer.from(': nothing new\n\n')));
    watch.look(0);
    expect(missteps).toEqual(['pod-1: a stream stays where the ring ends in another history']);
  });

  it('looks at nothing in a dead pod', () => {
    watch.follow(sink, { ...at(1), epoch: 'f' }, false);
    process.isDead = true;
    watch.look(0);
    expect(missteps).toEqual([]);
  });
});
