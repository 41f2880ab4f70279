import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

describe('RunRegistry', async () => {
  const testBackend = await openSharedBackend();
  const runs = () => testBackend.backend.runs;

  test('returns a null position before the first is recorded', async () => {
    expect(await runs().lastPosition()).toBeNull();
    expect(await runs().startRun()).toMatchObject({ lastPosition: null });
  });

  test('startRun returns increasing numbers', async () => {
    const first = await runs().startRun();
    const second = await runs().startRun();
    expect(second.run).toBeGreaterThan(first.run);
    expect(Number.isSafeInteger(first.run)).toBe(true);
  });

  test('startRun returns 50 different numbers to 50 concurrent calls', async () => {
    const runStarts = await Promise.all(Array.from({ length: 50 }, () => runs().startRun()));
    expect(new Set(runStarts.map(({ run }) => run)).size).toBe(50);
  });

  /** Records a position over the current one. */
  async function record(position: ComparablePosition): Promise<void> {
    expect(await runs().recordPosition(position, await runs().lastPosition())).toBe(true);
  }

  test('stores the position exactly, and returns it with the next number', async () => {
    const position: ComparablePosition = { epochRun: 10, epoch: 'k3f9', ms: 1_764_000_000_123, seq: 7 };
    expect(await runs().recordPosition(position, null)).toBe(true);
    expect(await runs().lastPosition()).toEqual(position);
    expect((await runs().startRun()).lastPosition).toEqual(position);
  });

  test.each<[string, (current: ComparablePosition) => ComparablePosition | null]>([
    ['no position', () => null],
    ['another number', (current) => ({ ...current, seq: current.seq - 1 })],
    ['another time', (current) => ({ ...current, ms: current.ms - 1 })],
    ['another epoch', (current) => ({ ...current, epoch: 'other' })],
    ['an epoch that another run started', (current) => ({ ...current, epochRun: current.epochRun - 1 })],
  ])('recordPosition replaces nothing when the caller expects %s', async (_, getMistaken) => {
    const current: ComparablePosition = { epochRun: 20, epoch: 'aaaa', ms: 1_764_000_000_500, seq: 50 };
    await record(current);
    expect(await runs().recordPosition({ ...current, ms: current.ms + 1, seq: 51 }, getMistaken(current))).toBe(false);
    expect(await runs().lastPosition()).toEqual(current);
    expect(await runs().recordPosition({ ...current, ms: current.ms + 1, seq: 51 }, current)).toBe(true);
    expect(await runs().lastPosition()).toEqual({ ...current, ms: current.ms + 1, seq: 51 });
  });

  test('recordPosition succeeds for exactly one of 20 concurrent calls', async () => {
    const buildPosition = (seq: number): ComparablePosition => ({
      epochRun: 40,
      epoch: 'cccc',
      ms: 1_764_000_002_000,
      seq,
    });
    await record(buildPosition(0));
    const seqs = Array.from({ length: 20 }, (_, index) => index + 1);
    const outcomes = await Promise.all(seqs.map((seq) => runs().recordPosition(buildPosition(seq), buildPosition(0))));
    expect(outcomes.filter((wasRecorded) => wasRecorded)).toHaveLength(1);
    expect(await runs().lastPosition()).toEqual(buildPosition(seqs[outcomes.indexOf(true)] ?? 0));
  });

  test('keeps the number and the position across a reopen', async () => {
    const position: ComparablePosition = { epochRun: 50, epoch: 'dddd', ms: 1_764_000_003_000, seq: 3 };
    await record(position);
    const before = await runs().startRun();
    await testBackend.reopen();
    expect(await runs().lastPosition()).toEqual(position);
    const after = await runs().startRun();
    expect(after.run).toBeGreaterThan(before.run);
    expect(after.lastPosition).toEqual(position);
  });
});
