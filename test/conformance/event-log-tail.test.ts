import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEventAppend } from '../drivers/builders.ts';
import { driveEventLog, looseAppends } from '../drivers/event-log-driver.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { startStopwatch } from '../drivers/stopwatch.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const epochWord = /^[0-9a-z]{1,32}$/;

describe('EventLog: a tail', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const { log, nextRun, append } = driveEventLog(() => store);

  it('waits also before the first append ever, while there is nothing to inspect', async () => {
    expect(await log().inspect(null)).toBeNull();
    expect(await log().inspect({ epoch: 'k3f9', ms: 1, seq: 1 })).toBeNull();
    const tail = log().openTail();
    const waiting = tail.next({ epoch: '0', ms: 0, seq: 0 }, 500);
    const run = await nextRun();
    const first = anEventAppend();
    const result = await log().append(run, null, [first]);
    expect(result).toMatchObject({ startedNewEpoch: false, last: { epochRun: run } });
    expect(result.last.epoch).toMatch(epochWord);
    expect((await waiting).map(({ event }) => event)).toEqual([first.event]);
    await tail.close();
  });

  it('returns at once what is there, oldest first, at most as many as asked for', async () => {
    const { last: before } = await append(looseAppends(1));
    for (let n = 0; n < 3; n += 1) await append(looseAppends(200));
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

  it('wakes as soon as something is appended, and so does every other', async () => {
    const { last } = await append(looseAppends(1));
    const tails = [log().openTail(), log().openTail()];
    const waiting = tails.map((tail) => tail.next(last, 500));
    const elapsedMs = startStopwatch();
    const one = anEventAppend();
    await append([one]);
    for (const records of await Promise.all(waiting)) expect(records.map(({ event }) => event)).toEqual([one.event]);
    expect(elapsedMs()).toBeLessThan(1000);
    await Promise.all(tails.map((tail) => tail.close()));
  });

  it('returns nothing after about two seconds in which nothing came', async () => {
    const { last } = await append(looseAppends(1));
    const tail = log().openTail();
    const startedAt = performance.now();
    const elapsedMs = startStopwatch();
    expect(await tail.next(last, 500)).toEqual([]);
    expect(performance.now() - startedAt).toBeGreaterThan(1000);
    expect(elapsedMs()).toBeLessThan(4000);
    await tail.close();
  });

  it('that is closed ends what waits on it', async () => {
    const { last } = await append(looseAppends(1));
    const tail = log().openTail();
    const waiting = Promise.allSettled([tail.next(last, 500)]);
    await tail.close();
    await waiting;
    await expect(tail.next(last, 500)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
