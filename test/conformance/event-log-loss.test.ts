import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEventAppend } from '../drivers/builders.ts';
import { driveEventLog, looseAppends } from '../drivers/event-log-driver.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const epochWord = /^[0-9a-z]{1,32}$/;

describe('EventLog: a lost tail', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const { log, nextRun, append, extent } = driveEventLog(() => store);

  async function begun(expected: (last: ComparablePosition) => ComparablePosition) {
    const { last } = await append(looseAppends(5));
    const run = await nextRun();
    const fresh = anEventAppend();
    return { last, run, fresh, result: await log().append(run, expected(last), [fresh]) };
  }

  it.each<[string, (last: ComparablePosition) => ComparablePosition]>([
    ['after its end', (last) => ({ ...last, ms: last.ms + 5, seq: last.seq + 2 })],
    ['where it holds another event', (last) => ({ ...last, ms: last.ms + 1 })],
    ['in a later epoch', (last) => ({ ...last, epoch: 'later', epochRun: last.epochRun + 1_000_000, seq: 1 })],
  ])('is noticed by an expected position %s: a new epoch begins with an empty log', async (_, expected) => {
    const { last, run, fresh, result } = await begun(expected);
    expect(result.startedNewEpoch).toBe(true);
    expect(result.last.epochRun).toBe(run);
    expect(result.last.epoch).toMatch(epochWord);
    expect(result.last.epoch).not.toBe(last.epoch);
    expect(result.last.ms).toBeGreaterThanOrEqual(last.ms);
    const { oldest, last: end } = await extent();
    expect(end.seq).toBe(oldest.seq + 1);
    expect(oldest.epoch).toBe(result.last.epoch);
    const records = await log().readAfter(oldest, 10);
    expect(records.map(({ event }) => event)).toEqual([fresh.event]);
    expect(records[0]).toMatchObject({ epoch: result.last.epoch, seq: end.seq });
    expect((await log().inspect(last))?.contains).toBe(false);
  });

  it('is no matter of the epoch that went before', async () => {
    const { last, result } = await begun((end) => ({ ...end, seq: end.seq + 9, ms: end.ms + 9 }));
    const next = await log().append(await nextRun(), last, looseAppends(1));
    expect(next).toMatchObject({
      startedNewEpoch: false,
      last: { epoch: result.last.epoch, epochRun: result.last.epochRun },
    });
  });

  it('is none where the expected position is the end, or any event that is kept', async () => {
    const { positions, last } = await append(looseAppends(5));
    const kept = { ...last, ...positions[1] };
    for (const expected of [last, kept, null]) {
      const result = await log().append(await nextRun(), expected, looseAppends(1));
      expect(result).toMatchObject({ startedNewEpoch: false, last: { epoch: last.epoch } });
    }
  });

  it('keeps the guards of what is appended in the new epoch', async () => {
    const { fresh, result } = await begun((end) => ({ ...end, seq: end.seq + 9, ms: end.ms + 9 }));
    const again = await log().append(await nextRun(), result.last, [fresh, anEventAppend()]);
    expect(again).toMatchObject({ startedNewEpoch: false, positions: [null, { seq: result.last.seq + 1 }] });
  });

  it('is the whole log where something is expected and nothing was ever appended', async () => {
    const own = await openTestBackend();
    const { run } = await own.backend.runs.startRun();
    const expected: ComparablePosition = { epoch: 'gone', epochRun: 1, ms: 1_764_000_000_000, seq: 77 };
    const result = await own.backend.eventLog.append(run, expected, looseAppends(2));
    expect(result).toMatchObject({ startedNewEpoch: true, last: { epochRun: run } });
    expect(result.last.epoch).not.toBe('gone');
    await own.dispose();
  });
});
