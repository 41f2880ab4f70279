import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('RunRegister', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const runs = () => store.backend.runs;

  it('knows no position before the first was recorded', async () => {
    expect(await runs().lastPosition()).toBeNull();
    expect(await runs().startRun()).toMatchObject({ lastPosition: null });
  });

  it('gives rising numbers', async () => {
    const first = await runs().startRun();
    const second = await runs().startRun();
    expect(second.run).toBeGreaterThan(first.run);
    expect(Number.isSafeInteger(first.run)).toBe(true);
  });

  it('gives no number twice, also to many at once', async () => {
    const given = await Promise.all(Array.from({ length: 50 }, () => runs().startRun()));
    expect(new Set(given.map(({ run }) => run)).size).toBe(50);
  });

  /** Over whatever is remembered now. */
  async function record(position: ComparablePosition): Promise<void> {
    expect(await runs().recordPosition(position, await runs().lastPosition())).toBe(true);
  }

  it('remembers the position exactly, and gives it with the next number', async () => {
    const position: ComparablePosition = { epochRun: 10, epoch: 'k3f9', ms: 1_764_000_000_123, seq: 7 };
    expect(await runs().recordPosition(position, null)).toBe(true);
    expect(await runs().lastPosition()).toEqual(position);
    expect((await runs().startRun()).lastPosition).toEqual(position);
  });

  it.each<[string, (known: ComparablePosition) => ComparablePosition | null]>([
    ['none', () => null],
    ['another number', (known) => ({ ...known, seq: known.seq - 1 })],
    ['another time', (known) => ({ ...known, ms: known.ms - 1 })],
    ['another epoch', (known) => ({ ...known, epoch: 'other' })],
    ['an epoch begun by another run', (known) => ({ ...known, epochRun: known.epochRun - 1 })],
  ])('keeps what it remembers from whoever thought it to be %s', async (_, mistaken) => {
    const known: ComparablePosition = { epochRun: 20, epoch: 'aaaa', ms: 1_764_000_000_500, seq: 50 };
    await record(known);
    expect(await runs().recordPosition({ ...known, ms: known.ms + 1, seq: 51 }, mistaken(known))).toBe(false);
    expect(await runs().lastPosition()).toEqual(known);
    expect(await runs().recordPosition({ ...known, ms: known.ms + 1, seq: 51 }, known)).toBe(true);
    expect(await runs().lastPosition()).toEqual({ ...known, ms: known.ms + 1, seq: 51 });
  });

  it('takes one of many that record over the same position at once', async () => {
    const position = (seq: number): ComparablePosition => ({ epochRun: 40, epoch: 'cccc', ms: 1_764_000_002_000, seq });
    await record(position(0));
    const seqs = Array.from({ length: 20 }, (_, index) => index + 1);
    const taken = await Promise.all(seqs.map((seq) => runs().recordPosition(position(seq), position(0))));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
    expect(await runs().lastPosition()).toEqual(position(seqs[taken.indexOf(true)] ?? 0));
  });

  it('keeps number and position across a reopen', async () => {
    const position: ComparablePosition = { epochRun: 50, epoch: 'dddd', ms: 1_764_000_003_000, seq: 3 };
    await record(position);
    const before = await runs().startRun();
    await store.reopen();
    expect(await runs().lastPosition()).toEqual(position);
    const after = await runs().startRun();
    expect(after.run).toBeGreaterThan(before.run);
    expect(after.lastPosition).toEqual(position);
  });
});
