import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginTail, numberedEntries } from '../drivers/control-log-driver.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { startStopwatch } from '../drivers/stopwatch.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('ControlLog', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const log = () => store.backend.control;

  it('a tail that begins may have missed something, and says so at once', async () => {
    await log().announce({ kind: 'subscription', id: 'before', change: 'revoked' });
    const tail = log().openTail();
    const elapsedMs = startStopwatch();
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    expect(elapsedMs()).toBeLessThan(1_500);
    await tail.close();
  });

  it('every tail is told of every entry, within a second', async () => {
    const tails = [await beginTail(log()), await beginTail(log())];
    const entries: ControlEntry[] = [
      { kind: 'subscription', id: '0197a1f0-0000-7000-8000-000000000001', change: 'changed' },
      { kind: 'integration', id: 'with "quotes" and \n', change: 'revoked' },
      { kind: 'provision-token', id: 'p', change: 'revoked' },
      { kind: 'session', id: 'a'.repeat(64), change: 'revoked' },
      { kind: 'user', id: 'u', change: 'changed' },
    ];
    for (const entry of entries) {
      const waiting = tails.map((tail) => tail.next());
      const elapsedMs = startStopwatch();
      await log().announce(entry);
      for (const told of await Promise.all(waiting)) expect(told).toEqual({ entries: [entry], mayHaveMissed: false });
      expect(elapsedMs()).toBeLessThan(1_000);
    }
    await Promise.all(tails.map((tail) => tail.close()));
  });

  it('what is announced while nobody waits is told at the next call, oldest first, nothing left out', async () => {
    const tail = await beginTail(log());
    const entries = numberedEntries(2_500);
    for (const entry of entries) await log().announce(entry);
    const told: ControlEntry[] = [];
    while (told.length < entries.length) {
      const { entries: some, mayHaveMissed } = await tail.next();
      expect(mayHaveMissed).toBe(false);
      told.push(...some);
    }
    expect(told).toEqual(entries);
    await tail.close();
  });

  it('the same again is told again', async () => {
    const tail = await beginTail(log());
    const [entry] = numberedEntries(1) as [ControlEntry];
    for (let n = 0; n < 2; n += 1) {
      await log().announce(entry);
      expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: false });
    }
    await tail.close();
  });

  it('nothing is told after about half a second in which nothing came', async () => {
    const tail = await beginTail(log());
    const startedAt = performance.now();
    const elapsedMs = startStopwatch();
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: false });

    expect(performance.now() - startedAt).toBeGreaterThan(250);
    expect(elapsedMs()).toBeLessThan(1_500);
    await tail.close();
  });

  it('a tail that falls further behind than the log keeps says that it may have missed something, once', async () => {
    const tail = await beginTail(log());
    for (let batch = 0; batch < 21; batch += 1) {
      await Promise.all(numberedEntries(500).map((entry) => log().announce(entry)));
    }
    expect((await tail.next()).mayHaveMissed).toBe(true);
    await log().announce({ kind: 'user', id: 'the last', change: 'changed' });
    for (;;) {
      const { entries, mayHaveMissed } = await tail.next();
      expect(mayHaveMissed).toBe(false);
      if (entries.some(({ id }) => id === 'the last')) break;
    }
    await tail.close();
  });

  it('a tail that is closed ends what waits on it, and the others go on', async () => {
    const [closed, other] = [await beginTail(log()), await beginTail(log())];
    const waiting = Promise.allSettled([closed.next()]);
    const waitingOther = other.next();
    await closed.close();
    await waiting;
    await expect(closed.next()).rejects.toMatchObject({ code: 'unavailable' });
    const [entry] = numberedEntries(1) as [ControlEntry];
    await log().announce(entry);
    expect(await waitingOther).toEqual({ entries: [entry], mayHaveMissed: false });
    await other.close();
  });

  it('tails that are left open end with the backend', async () => {
    const own = await openTestBackend();
    const tail = await beginTail(own.backend.control);
    const waiting = Promise.allSettled([tail.next()]);
    await own.dispose();
    await waiting;
    await expect(tail.next()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
