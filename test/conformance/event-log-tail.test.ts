import { describe, expect, test } from 'vitest';
import { anEventAppend } from '../drivers/app/builders.ts';
import { buildEventAppends, driveEventLog } from '../drivers/app/log-drivers.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

const epochPattern = /^[0-9a-z]{1,32}$/;

describe('EventTail.next', async () => {
  const testBackend = await openSharedBackend();
  const { log, nextRun, append } = driveEventLog(() => testBackend);

  test('waits for the first append to an empty log', async () => {
    expect(await log().inspect(null)).toBeNull();
    expect(await log().inspect({ epoch: 'k3f9', ms: 1, seq: 1 })).toBeNull();
    const tail = log().openTail();
    const waiting = tail.next({ epoch: '0', ms: 0, seq: 0 }, 500);
    const run = await nextRun();
    const first = anEventAppend();
    const result = await log().append(run, null, [first]);
    expect(result).toMatchObject({ startedNewEpoch: false, last: { epochRun: run } });
    expect(result.last.epoch).toMatch(epochPattern);
    expect((await waiting).map(({ event }) => event)).toEqual([first.event]);
    await tail.close();
  });

  test('returns existing events at once, oldest first, at most limit', async () => {
    const { last: before } = await append(buildEventAppends(1));
    for (let n = 0; n < 3; n += 1) await append(buildEventAppends(200));
    const tail = log().openTail();
    const first = await tail.next(before, 500);
    expect(first.length).toBeLessThanOrEqual(500);
    expect((await tail.next(before, 7)).map(({ seq }) => seq)).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((n) => before.seq + n),
    );
    expect(first.map(({ seq }) => seq)).toEqual(first.map((_, n) => before.seq + 1 + n));
    const records = [...first];
    for (let end = first.at(-1); records.length < 600 && end !== undefined; end = records.at(-1)) {
      records.push(...(await tail.next(end, 500)));
    }
    expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, n) => before.seq + 1 + n));
    await tail.close();
  });

  test('wakes every waiting tail within a second of an append', async () => {
    const { last } = await append(buildEventAppends(1));
    const tails = [log().openTail(), log().openTail()];
    const waiting = tails.map((tail) => tail.next(last, 500));
    const elapsedMs = startStopwatch();
    const added = anEventAppend();
    await append([added]);
    for (const records of await Promise.all(waiting)) expect(records.map(({ event }) => event)).toEqual([added.event]);
    expect(elapsedMs()).toBeLessThan(1000);
    await Promise.all(tails.map((tail) => tail.close()));
  });

  test('returns no events after about two seconds without an append', async () => {
    const { last } = await append(buildEventAppends(1));
    const tail = log().openTail();
    const startedAt = performance.now();
    const elapsedMs = startStopwatch();
    expect(await tail.next(last, 500)).toEqual([]);
    expect(performance.now() - startedAt).toBeGreaterThan(1000);
    expect(elapsedMs()).toBeLessThan(4000);
    await tail.close();
  });

  test('ends when its tail is closed, and then rejects with UnavailableError', async () => {
    const { last } = await append(buildEventAppends(1));
    const tail = log().openTail();
    const waiting = Promise.allSettled([tail.next(last, 500)]);
    await tail.close();
    await waiting;
    await expect(tail.next(last, 500)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
