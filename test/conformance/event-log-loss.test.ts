import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { findStreamStart } from '@widget-service/shared/usecases/events/find-stream-start.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anEventAppend } from '../drivers/app/builders.ts';
import { buildEventAppends, driveEventLog } from '../drivers/app/log-drivers.ts';
import { logCanLoseEvents, openTestBackend } from '../drivers/app/open-test-backend.ts';
import { overrideMethod } from '../drivers/app/override-method.ts';
import type { TestBackend } from '../drivers/app/test-backend.ts';

const epochPattern = /^[0-9a-z]{1,32}$/;

// The embedded log is in the same file as the run registry, so it cannot lose events whose position is recorded there.
describe.skipIf(!logCanLoseEvents)('EventLog.append, checked against the last recorded position', () => {
  let testBackend: TestBackend;
  beforeAll(async () => {
    testBackend = await openTestBackend();
  });
  afterAll(() => testBackend.dispose());
  const { log, nextRun, append, extent } = driveEventLog(() => testBackend);

  /**
   * Appends five events, and then one more with a last recorded position that `deriveRecorded` makes up from the end of
   * the log. A position that the log does not have looks like a lost tail.
   */
  async function appendAgainst(deriveRecorded: (end: ComparablePosition) => ComparablePosition) {
    const { last } = await append(buildEventAppends(5));
    // A run that may have started a later epoch.
    await nextRun();
    const run = await nextRun();
    const sixth = anEventAppend();
    return { last, run, sixth, result: await log().append(run, deriveRecorded(last), [sixth]) };
  }

  test.each<[string, (end: ComparablePosition) => ComparablePosition]>([
    ['is beyond the end of the log', (end) => ({ ...end, ms: end.ms + 5, seq: end.seq + 2 })],
    ['has the seq of the last event and another time', (end) => ({ ...end, ms: end.ms + 1 })],
    ['is of a later epoch', (end) => ({ ...end, epoch: 'later', epochRun: end.epochRun + 1, seq: 1 })],
  ])('drops the older events and starts a new epoch when the last recorded position %s', async (_, deriveRecorded) => {
    const { last, run, sixth, result } = await appendAgainst(deriveRecorded);
    expect(result.startedNewEpoch).toBe(true);
    expect(result.last.epochRun).toBe(run);
    expect(result.last.epoch).toMatch(epochPattern);
    expect(result.last.epoch).not.toBe(last.epoch);
    expect(result.last.ms).toBeGreaterThanOrEqual(last.ms);
    const { oldest, last: end } = await extent();
    // `oldest` is the position right before the first event.
    expect(end.seq).toBe(oldest.seq + 1);
    expect(oldest.epoch).toBe(result.last.epoch);
    const records = await log().readAfter(oldest, 10);
    expect(records.map(({ event }) => event)).toEqual([sixth.event]);
    expect(records[0]).toMatchObject({ epoch: result.last.epoch, seq: end.seq });
    expect((await log().inspect(last))?.contains).toBe(false);
  });

  test('keeps the new epoch when the last recorded position is of the previous one', async () => {
    const { last, result } = await appendAgainst((end) => ({ ...end, seq: end.seq + 9, ms: end.ms + 9 }));
    const next = await log().append(await nextRun(), last, buildEventAppends(1));
    expect(next).toMatchObject({
      startedNewEpoch: false,
      last: { epoch: result.last.epoch, epochRun: result.last.epochRun },
    });
  });

  test('keeps the epoch when the last recorded position is the end, or an event in the log, or null', async () => {
    const { positions, last } = await append(buildEventAppends(5));
    const second = { ...last, ...positions[1] };
    for (const recorded of [last, second, null]) {
      const result = await log().append(await nextRun(), recorded, buildEventAppends(1));
      expect(result).toMatchObject({ startedNewEpoch: false, last: { epoch: last.epoch } });
    }
  });

  test('skips a repetition of the event that the new epoch started with', async () => {
    const { sixth, result } = await appendAgainst((end) => ({ ...end, seq: end.seq + 9, ms: end.ms + 9 }));
    const repeated = await log().append(await nextRun(), result.last, [sixth, anEventAppend()]);
    expect(repeated).toMatchObject({ startedNewEpoch: false, positions: [null, { seq: result.last.seq + 1 }] });
  });

  test('starts no second epoch under one number, which would not tell which of the two is later', async () => {
    const { result } = await appendAgainst((end) => ({ ...end, seq: end.seq + 9, ms: end.ms + 9 }));
    const lost = { ...result.last, seq: result.last.seq + 9, ms: result.last.ms + 9 };
    const again = log().append(result.last.epochRun, lost, buildEventAppends(1));
    await expect(again).rejects.toBeInstanceOf(UnavailableError);
    expect((await extent()).last).toEqual((({ epochRun: _, ...end }) => end)(result.last));
    expect(await log().append(await nextRun(), lost, buildEventAppends(1))).toMatchObject({ startedNewEpoch: true });
  });

  test('starts a new epoch when a position was recorded and the log is empty', async () => {
    const emptyBackend = await openTestBackend();
    const { run } = await emptyBackend.backend.runs.startRun();
    const recorded: ComparablePosition = { epoch: 'gone', epochRun: run - 1, ms: 1_764_000_000_000, seq: 77 };
    const result = await emptyBackend.backend.eventLog.append(run, recorded, buildEventAppends(2));
    expect(result).toMatchObject({ startedNewEpoch: true, last: { epochRun: run } });
    expect(result.last.epoch).not.toBe('gone');
    await emptyBackend.dispose();
  });
});

describe('a resume during which the event log changes', () => {
  /** Returns a function that finds where a stream starts. `change` runs before its first read of events. */
  function findStartAcross(testBackend: TestBackend, end: ComparablePosition, change: () => Promise<unknown>) {
    const { eventLog } = testBackend.backend;
    let isChanged = false;
    const changing = overrideMethod(eventLog, 'readAfter', async (after, limit) => {
      if (!isChanged) await change();
      isChanged = true;
      return eventLog.readAfter(after, limit);
    });
    const recent = { position: () => end, start: () => end, contains: () => false };
    return (requested: string) => findStreamStart(changing, recent, requested);
  }

  test.skipIf(!logCanLoseEvents)('tells of a new epoch', async () => {
    const testBackend = await openTestBackend();
    const { log, nextRun, append, extent } = driveEventLog(() => testBackend);
    const { positions, last } = await append(buildEventAppends(5));
    const lost = { ...last, seq: last.seq + 9, ms: last.ms + 9 };
    const run = await nextRun();
    const findStart = findStartAcross(testBackend, last, () => log().append(run, lost, buildEventAppends(1)));
    const requested = formatPosition({ ...last, ...positions[1] });
    expect(await findStart(requested)).toEqual({
      position: (await extent()).oldest,
      resumed: false,
      gap: { requested, reason: 'epoch-changed' },
    });
    await testBackend.dispose();
  });

  test('has no gap, for the oldest kept event, if that is trimmed', async () => {
    const testBackend = await openTestBackend({ retentionCount: 100 });
    const { log, nextRun, extent } = driveEventLog(() => testBackend);
    const run = await nextRun();
    const { last } = await log().append(run, null, buildEventAppends(90));
    const findStart = findStartAcross(testBackend, last, async () => {
      await log().append(run, last, buildEventAppends(90));
      await log().trim(last);
    });
    const before = (await extent()).oldest;
    const start = await findStart('earliest');
    expect((await extent()).oldest.seq).toBeGreaterThan(before.seq);
    expect(start).toEqual({ position: (await extent()).oldest, resumed: true, gap: null });
    await testBackend.dispose();
  });
});
