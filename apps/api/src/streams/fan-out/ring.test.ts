import { describe, expect, test } from 'vitest';
import type { Frame } from './frame.ts';
import { Ring } from './ring.ts';

const event = { type: 'widget.updated', widgetId: null, state: null, stateBefore: null, labels: null } as const;
const makeFrame = (seq: number, size = 10): Frame => ({
  ms: 1_000 + seq,
  seq,
  previousMs: 999 + seq,
  bytes: Buffer.alloc(size),
  ...event,
});

function makeRing(limits: { frames: number; bytes: number }, count: number): Ring {
  const ring = new Ring(limits);
  ring.reset({ epoch: 'e1', ms: 1_000, seq: 0 });
  for (let seq = 1; seq <= count; seq += 1) ring.push(makeFrame(seq));
  return ring;
}

describe('Ring', () => {
  test('has no position before the first reset', () => {
    const ring = new Ring({ frames: 10, bytes: 1_000 });
    expect(ring.position()).toBeNull();
    expect(ring.canServeFrom(1)).toBe(false);
  });

  test('keeps the newest frames within the limits of frames and bytes, and finds each by seq', () => {
    for (const ring of [makeRing({ frames: 5, bytes: 1_000 }, 5_000), makeRing({ frames: 5_000, bytes: 50 }, 5_000)]) {
      expect(ring.at(4_995)).toBeUndefined();
      expect([4_996, 4_997, 4_998, 4_999, 5_000].map((seq) => ring.at(seq)?.seq)).toEqual([
        4_996, 4_997, 4_998, 4_999, 5_000,
      ]);
      expect(ring.at(5_001)).toBeUndefined();
      expect(ring.position()).toEqual({ epoch: 'e1', ms: 6_000, seq: 5_000 });
    }
  });

  test('keeps the last frame even if it is above the byte limit', () => {
    const ring = makeRing({ frames: 5, bytes: 50 }, 3);
    ring.push(makeFrame(4, 1_000));
    expect(ring.at(3)).toBeUndefined();
    expect(ring.at(4)?.seq).toBe(4);
  });

  test('covers cursors inside it and at its end, not those behind it', () => {
    const ring = makeRing({ frames: 5, bytes: 1_000 }, 10);
    expect([5, 6, 10, 11].map((next) => ring.canServeFrom(next))).toEqual([false, true, true, true]);
  });

  test('returns the frame right after a cursor, comparing seq and ms', () => {
    const ring = makeRing({ frames: 5, bytes: 1_000 }, 10);
    const findNext = (seq: number, ms = 1_000 + seq) => {
      const next = ring.after({ ms, seq });
      return typeof next === 'string' ? next : next.seq;
    };
    expect([4, 5, 9, 10, 11].map((seq) => findNext(seq))).toEqual(['dropped', 6, 10, 'at-end', 'at-end']);
    expect([5, 9, 10].map((seq) => findNext(seq, 999))).toEqual(['diverged', 'diverged', 'diverged']);
    ring.push({ ...makeFrame(11), previousMs: null });
    expect(findNext(10, 999)).toBe(11);
    expect(new Ring({ frames: 5, bytes: 1_000 }).after({ ms: 1, seq: 1 })).toBe('at-end');
  });

  test('contains only positions of its epoch with the seq and ms of a frame', () => {
    const ring = makeRing({ frames: 5, bytes: 1_000 }, 10);
    expect(ring.contains({ epoch: 'e1', ms: 1_008, seq: 8 })).toBe(true);
    expect(ring.contains({ epoch: 'e2', ms: 1_008, seq: 8 })).toBe(false);
    expect(ring.contains({ epoch: 'e1', ms: 1_007, seq: 8 })).toBe(false);
    expect(ring.contains({ epoch: 'e1', ms: 1_005, seq: 5 })).toBe(false);
  });
});
