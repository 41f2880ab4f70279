import { describe, expect, it } from 'vitest';
import type { Frame } from './frame.ts';
import { Ring } from './ring.ts';

const event = { type: 'widget.updated', widgetId: null, state: null, stateBefore: null, labels: null } as const;
const frame = (seq: number, size = 10): Frame => ({
  ms: 1_000 + seq,
  seq,
  previousMs: 999 + seq,
  bytes: Buffer.alloc(size),
  ...event,
});

function ringWith(limits: { frames: number; bytes: number }, count: number): Ring {
  const ring = new Ring(limits);
  ring.reset({ epoch: 'e1', ms: 1_000, seq: 0 });
  for (let seq = 1; seq <= count; seq += 1) ring.push(frame(seq));
  return ring;
}

describe('Ring', () => {
  it('knows no position before it was told one', () => {
    const ring = new Ring({ frames: 10, bytes: 1_000 });
    expect(ring.position()).toBeNull();
    expect(ring.covers(1)).toBe(false);
  });

  it('keeps the newest frames, by number and by bytes, and finds each by its number', () => {
    for (const ring of [ringWith({ frames: 5, bytes: 1_000 }, 5_000), ringWith({ frames: 5_000, bytes: 50 }, 5_000)]) {
      expect(ring.at(4_995)).toBeUndefined();
      expect([4_996, 4_997, 4_998, 4_999, 5_000].map((seq) => ring.at(seq)?.seq)).toEqual([
        4_996, 4_997, 4_998, 4_999, 5_000,
      ]);
      expect(ring.at(5_001)).toBeUndefined();
      expect(ring.position()).toEqual({ epoch: 'e1', ms: 6_000, seq: 5_000 });
    }
  });

  it('keeps the last frame however large it is', () => {
    const ring = ringWith({ frames: 5, bytes: 50 }, 3);
    ring.push(frame(4, 1_000));
    expect(ring.at(3)).toBeUndefined();
    expect(ring.at(4)?.seq).toBe(4);
  });

  it('reaches cursors inside it and at its end, not those before it', () => {
    const ring = ringWith({ frames: 5, bytes: 1_000 }, 10);
    expect([5, 6, 10, 11].map((next) => ring.covers(next))).toEqual([false, true, true, true]);
  });

  it('tells what comes right after a cursor, by number and time', () => {
    const ring = ringWith({ frames: 5, bytes: 1_000 }, 10);
    const nextAfter = (seq: number, ms = 1_000 + seq) => {
      const next = ring.after({ ms, seq });
      return typeof next === 'string' ? next : next.seq;
    };
    expect([4, 5, 9, 10, 11].map((seq) => nextAfter(seq))).toEqual(['dropped', 6, 10, 'none-yet', 'none-yet']);
    expect([5, 9, 10].map((seq) => nextAfter(seq, 999))).toEqual(['other-history', 'other-history', 'other-history']);
    ring.push({ ...frame(11), previousMs: null });
    expect(nextAfter(10, 999)).toBe(11);
    expect(new Ring({ frames: 5, bytes: 1_000 }).after({ ms: 1, seq: 1 })).toBe('none-yet');
  });

  it('contains only positions of its epoch that are exactly a frame’s', () => {
    const ring = ringWith({ frames: 5, bytes: 1_000 }, 10);
    expect(ring.contains({ epoch: 'e1', ms: 1_008, seq: 8 })).toBe(true);
    expect(ring.contains({ epoch: 'e2', ms: 1_008, seq: 8 })).toBe(false);
    expect(ring.contains({ epoch: 'e1', ms: 1_007, seq: 8 })).toBe(false);
    expect(ring.contains({ epoch: 'e1', ms: 1_005, seq: 5 })).toBe(false);
  });
});
