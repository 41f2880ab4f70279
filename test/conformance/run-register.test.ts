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

  it('remembers the position exactly, and gives it with the next number', async () => {
    const position: NumberedPosition = { epochRun: 10, epoch: 'k3f9', ms: 1_764_000_000_123, seq: 7 };
    await runs().record(position);
    expect(await runs().lastPosition()).toEqual(position);
    expect((await runs().next()).lastPosition).toEqual(position);
  });

  it('moves the position forwards by seq within an epoch, never backwards', async () => {
    const position: NumberedPosition = { epochRun: 20, epoch: 'aaaa', ms: 1_764_000_000_500, seq: 50 };
    await runs().record(position);
    await runs().record({ ...position, ms: 1_764_000_000_400, seq: 49 });
    expect(await runs().lastPosition()).toEqual(position);
    await runs().record({ ...position, ms: 1_764_000_000_600, seq: 51 });
    expect(await runs().lastPosition()).toEqual({ ...position, ms: 1_764_000_000_600, seq: 51 });
  });

  it('puts a later epoch before every position of an earlier one', async () => {
    const earlier: NumberedPosition = { epochRun: 30, epoch: 'zzzz', ms: 1_764_000_001_000, seq: 9_000 };
    const later: NumberedPosition = { epochRun: 31, epoch: 'bbbb', ms: 1_764_000_000_900, seq: 1 };
    await runs().record(earlier);
    await runs().record(later);
    expect(await runs().lastPosition()).toEqual(later);
    await runs().record({ ...earlier, seq: 10_000 });
    expect(await runs().lastPosition()).toEqual(later);
  });

  it('ends at the highest of many positions recorded at once', async () => {
    const position = (seq: number): NumberedPosition => ({ epochRun: 40, epoch: 'cccc', ms: 1_764_000_002_000, seq });
    const shuffled = Array.from({ length: 20 }, (_, index) => ((index * 7) % 20) + 1);
    await Promise.all(shuffled.map((seq) => runs().record(position(seq))));
    expect(await runs().lastPosition()).toEqual(position(20));
  });

  it('keeps number and position across a reopen', async () => {
    const position: NumberedPosition = { epochRun: 50, epoch: 'dddd', ms: 1_764_000_003_000, seq: 3 };
    await runs().record(position);
    const before = await runs().next();
    await store.reopen();
    expect(await runs().lastPosition()).toEqual(position);
    const after = await runs().next();
    expect(after.run).toBeGreaterThan(before.run);
    expect(after.lastPosition).toEqual(position);
  });
});
