import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';
import { describe, expect, test } from 'vitest';
import { buildNumberedEntries, openTailAtEnd } from '../drivers/app/log-drivers.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

describe('ControlLog', async () => {
  const testBackend = await openSharedBackend();
  const log = () => testBackend.backend.control;

  test('sets mayHaveMissed on the first call of a new tail, without waiting', async () => {
    await log().announce({ kind: 'subscription', id: 'before', change: 'revoked' });
    const tail = log().openTail();
    const elapsedMs = startStopwatch();
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    expect(elapsedMs()).toBeLessThan(1_500);
    await tail.close();
  });

  test('delivers every entry to every tail within a second', async () => {
    const tails = [await openTailAtEnd(log()), await openTailAtEnd(log())];
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
      for (const result of await Promise.all(waiting)) {
        expect(result).toEqual({ entries: [entry], mayHaveMissed: false });
      }
      expect(elapsedMs()).toBeLessThan(1_000);
    }
    await Promise.all(tails.map((tail) => tail.close()));
  });

  test('returns entries announced between two calls at the next call, oldest first and complete', async () => {
    const tail = await openTailAtEnd(log());
    const entries = buildNumberedEntries(2_500);
    for (const entry of entries) await log().announce(entry);
    const received: ControlEntry[] = [];
    while (received.length < entries.length) {
      const { entries: page, mayHaveMissed } = await tail.next();
      expect(mayHaveMissed).toBe(false);
      received.push(...page);
    }
    expect(received).toEqual(entries);
    await tail.close();
  });

  test('delivers an entry again when it is announced again', async () => {
    const tail = await openTailAtEnd(log());
    const [entry] = buildNumberedEntries(1) as [ControlEntry];
    for (let n = 0; n < 2; n += 1) {
      await log().announce(entry);
      expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: false });
    }
    await tail.close();
  });

  test('returns no entries after about half a second without an announcement', async () => {
    const tail = await openTailAtEnd(log());
    const startedAt = performance.now();
    const elapsedMs = startStopwatch();
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: false });

    expect(performance.now() - startedAt).toBeGreaterThan(250);
    expect(elapsedMs()).toBeLessThan(1_500);
    await tail.close();
  });

  test('sets mayHaveMissed once when the log has dropped entries that the tail had not read', async () => {
    const tail = await openTailAtEnd(log());
    for (let batch = 0; batch < 21; batch += 1) {
      await Promise.all(buildNumberedEntries(500).map((entry) => log().announce(entry)));
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

  test('ends the pending call of a closed tail, and leaves other tails open', async () => {
    const [closed, other] = [await openTailAtEnd(log()), await openTailAtEnd(log())];
    const waiting = Promise.allSettled([closed.next()]);
    const waitingOther = other.next();
    await closed.close();
    await waiting;
    await expect(closed.next()).rejects.toMatchObject({ code: 'unavailable' });
    const [entry] = buildNumberedEntries(1) as [ControlEntry];
    await log().announce(entry);
    expect(await waitingOther).toEqual({ entries: [entry], mayHaveMissed: false });
    await other.close();
  });

  test('closes open tails when the backend closes', async () => {
    const closingBackend = await openTestBackend();
    const tail = await openTailAtEnd(closingBackend.backend.control);
    const waiting = Promise.allSettled([tail.next()]);
    await closingBackend.dispose();
    await waiting;
    await expect(tail.next()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
