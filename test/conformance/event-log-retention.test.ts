import { isContiguous } from '@widget-service/shared/domain/log-position.ts';
import type { LogAppend } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { describe, expect, it } from 'vitest';
import { anEventAppend } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';

const looseAppends = (count: number): LogAppend[] => Array.from({ length: count }, () => anEventAppend());

// Each test has a log of its own, because what is kept depends on how it was opened.
describe('EventLog: retention', () => {
  async function trimmed(options: Parameters<typeof openTestBackend>[0], batches: readonly LogAppend[][]) {
    const own = await openTestBackend(options);
    const run = (await own.backend.runs.startRun()).run;
    let recorded: ComparablePosition | null = null;
    for (const events of batches) recorded = (await own.backend.eventLog.append(run, recorded, events)).last;
    await own.backend.eventLog.trim(recorded);
    const kept = (await own.backend.eventLog.inspect(null))?.extent;
    if (kept === undefined) throw new Error('something was appended');
    return { own, eventLog: own.backend.eventLog, run, kept };
  }

  it('by count keeps the newest', async () => {
    const batches = Array.from({ length: 5 }, () => looseAppends(60));
    const { own, eventLog, run, kept } = await trimmed({ retentionCount: 100 }, batches);
    expect(kept.last.seq - kept.oldest.seq).toBe(100);
    const records = await eventLog.readAfter(kept.oldest, 500);
    expect(records.map(({ event }) => event)).toEqual(
      batches
        .flat()
        .slice(-100)
        .map(({ event }) => event),
    );
    // A position that was trimmed is no lost tail.
    const expected = { ...kept.oldest, epochRun: run, seq: kept.oldest.seq - 50 };
    expect(await eventLog.append(run, expected, looseAppends(1))).toMatchObject({ startedNewEpoch: false });
    await own.dispose();
  });

  it('tells the exact position before the oldest event, though the event there is gone', async () => {
    const own = await openTestBackend({ retentionCount: 100 });
    const { eventLog, runs } = own.backend;
    const { run } = await runs.startRun();
    const before = await eventLog.append(run, null, looseAppends(40));
    const { positions, last } = await eventLog.append(run, null, looseAppends(100));
    await eventLog.trim(last);
    const oldest = (await eventLog.inspect(null))?.extent.oldest;
    expect(oldest).toEqual(before.positions.at(-1));
    const records = await eventLog.readAfter(oldest ?? before.last, 500);
    expect(records).toHaveLength(100);
    expect(isContiguous(oldest ?? before.last, records)).toBe(true);
    expect(records.at(-1)).toMatchObject(positions.at(-1) ?? {});
    await own.dispose();
  });

  it('leaves a lost tail to be noticed by the position right before the oldest event, and by the last one', async () => {
    const own = await openTestBackend({ retentionCount: 100 });
    const { eventLog, runs } = own.backend;
    const { run } = await runs.startRun();
    const { last: begin } = await eventLog.append(run, null, looseAppends(150));
    await eventLog.trim(begin);
    const positionBeforeOldest = async (): Promise<ComparablePosition> => ({
      ...begin,
      ...((await eventLog.inspect(null))?.extent.oldest ?? begin),
    });
    expect(await eventLog.append(run, await positionBeforeOldest(), [])).toMatchObject({ startedNewEpoch: false });
    const { last } = await eventLog.append(run, null, looseAppends(1));
    expect(await eventLog.append(run, last, [])).toMatchObject({ startedNewEpoch: false });
    const { ms, ...rest } = await positionBeforeOldest();
    const result = await eventLog.append(run, { ...rest, ms: ms - 1 }, looseAppends(2));
    expect(result.startedNewEpoch).toBe(true);
    const other = { ...result.last, ms: result.last.ms - 1 };
    expect(await eventLog.append(run, other, [])).toMatchObject({ startedNewEpoch: true });
    await own.dispose();
  });

  it('by age empties the log, which goes on where it was', async () => {
    const { own, eventLog, run, kept } = await trimmed({ retentionMs: 30 }, [looseAppends(10)]);
    await expect
      .poll(
        async () => {
          await eventLog.trim({ ...kept.last, epochRun: run });
          return (await eventLog.inspect(null))?.extent.oldest;
        },
        { timeout: 5000 },
      )
      .toEqual(kept.last);
    expect(await eventLog.readAfter(kept.oldest, 10)).toEqual([]);
    expect(await eventLog.inspect(kept.last)).toMatchObject({ contains: false, extent: { last: kept.last } });
    const result = await eventLog.append(run, { ...kept.last, epochRun: run }, looseAppends(1));
    expect(result).toMatchObject({ startedNewEpoch: false, last: { epoch: kept.last.epoch, seq: kept.last.seq + 1 } });
    await own.dispose();
  });

  it('by bytes keeps about as much as fits', async () => {
    const json = JSON.stringify({ filling: 'x'.repeat(1000) });
    const batches = Array.from({ length: 5 }, () => Array.from({ length: 200 }, () => anEventAppend({ json })));
    const { own, eventLog, kept } = await trimmed({ retentionBytes: 200_000 }, batches);
    const count = kept.last.seq - kept.oldest.seq;
    expect(count).toBeLessThan(250);
    expect(count).toBeGreaterThan(50);
    const records = await eventLog.readAfter(kept.oldest, 500);
    expect(records.at(-1)?.event).toEqual(batches.flat().at(-1)?.event);
    await own.dispose();
  });

  it.each([
    ['count', { retentionCount: 3 }],
    ['age', { retentionMs: 0 }],
    ['bytes', { retentionBytes: 1 }],
  ])('by %s stops at what was recorded: what came after it tells of a loss', async (_, options) => {
    const own = await openTestBackend(options);
    const { eventLog, runs } = own.backend;
    const { run } = await runs.startRun();
    const oldestSeq = async () => (await eventLog.inspect(null))?.extent.oldest.seq;
    await eventLog.append(run, null, looseAppends(300));
    await eventLog.trim(null);
    expect(await oldestSeq()).toBe(0);
    const { last: recorded } = await eventLog.append(run, null, looseAppends(5));
    const { last: lost } = await eventLog.append(run, recorded, looseAppends(300));
    await eventLog.trim({ ...lost, ms: lost.ms - 1 });
    await eventLog.append(run, recorded, looseAppends(300));
    await eventLog.trim(recorded);
    expect(await oldestSeq()).toBeLessThanOrEqual(recorded.seq);
    // As if its place had been given again, to another event.
    const result = await eventLog.append(run, { ...lost, ms: lost.ms - 1 }, []);
    expect(result.startedNewEpoch).toBe(true);
    await own.dispose();
  });

  it('may be asked for before there is anything', async () => {
    const own = await openTestBackend();
    await own.backend.eventLog.trim(null);
    await own.backend.eventLog.trim({ epoch: 'unknown', epochRun: 1, ms: 1, seq: 1 });
    expect(await own.backend.eventLog.inspect(null)).toBeNull();
    await own.dispose();
  });
});
