import type { NumberedPosition } from '@widget-service/shared/ports/run-register.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackend } from '../support/open-test-backend.ts';
import type { TestBackend } from '../support/test-backend.ts';

describe('RunRegister', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const runs = () => store.backend.runs;

  it('knows no position before the first was recorded', async () => {
    expect(await runs().lastPosition()).toBeNull();
    expect(await runs().next()).toMatchObject({ lastPosition: null });
  });

  it('gives rising numbers', async () => {
    const first = await runs().next();
    const second = await runs().next();
    expect(second.run).toBeGreaterThan(first.run);
    expect(Number.isSafeInteger(first.run)).toBe(true);
  });

  it('gives no number twice, also to many at once', async () => {
    const given = await Promise.all(Array.from({ length: 50 }, () => runs().next()));
    expect(new Set(given.map(({ run }) => run)).size).toBe(50);
  });

  /** Over whatever is remembered now. */
  async function record(position: NumberedPosition): Promise<void> {
    expect(await runs().record(position, await runs().lastPosition())).toBe(true);
  }

  it('remembers the position exactly, and gives it with the next number', async () => {
    const position: NumberedPosition = { epochRun: 10, epoch: 'k3f9', ms: 1_764_000_000_123, seq: 7 };
    expect(await runs().record(position, null)).toBe(true);
    expect(await runs().lastPosition()).toEqual(position);
    expect((await runs().next()).lastPosition).toEqual(position);
  });

  it.each<[string, (known: NumberedPosition) => NumberedPosition | null]>([
    ['none', () => null],
    ['another number', (known) => ({ ...known, seq: known.seq - 1 })],
    ['another time', (known) => ({ ...known, ms: known.ms - 1 })],
    ['another epoch', (known) => ({ ...known, epoch: 'other' })],
    ['an epoch begun by another run', (known) => ({ ...known, epochRun: known.epochRun - 1 })],
  ])('keeps what it remembers from whoever thought it to be %s', async (_, mistaken) => {
    const known: NumberedPosition = { epochRun: 20, epoch: 'aaaa', ms: 1_764_000_000_500, seq: 50 };
    await record(known);
    expect(await runs().record({ ...known, ms: known.ms + 1, seq: 51 }, mistaken(known))).toBe(false);
    expect(await runs().lastPosition()).toEqual(known);
    expect(await runs().record({ ...known, ms: known.ms + 1, seq: 51 }, known)).toBe(true);
    expect(await runs().lastPosition()).toEqual({ ...known, ms: known.ms + 1, seq: 51 });
  });

  it('takes one of many that record over the same position at once', async () => {
    const position = (seq: number): NumberedPosition => ({ epochRun: 40, epoch: 'cccc', ms: 1_764_000_002_000, seq });
    await record(position(0));
    const seqs = Array.from({ length: 20 }, (_, index) => index + 1);
    const taken = await Promise.all(seqs.map((seq) => runs().record(position(seq), position(0))));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
    expect(await runs().lastPosition()).toEqual(position(seqs[taken.indexOf(true)] ?? 0));
  });

  it('keeps number and position across a reopen', async () => {
    const position: NumberedPosition = { epochRun: 50, epoch: 'dddd', ms: 1_764_000_003_000, seq: 3 };
    await record(position);
    const before = await runs().next();
    await store.reopen();
    expect(await runs().lastPosition()).toEqual(position);
    const after = await runs().next();
    expect(after.run).toBeGreaterThan(before.run);
    expect(after.lastPosition).toEqual(position);
  });
});
