import { randomUUID } from 'node:crypto';
import { isContiguous, type LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvent, anEventAppend, aVersionAppend, awkwardPayload, awkwardTexts } from '../drivers/builders.ts';
import { driveEventLog, looseAppends } from '../drivers/event-log-driver.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('EventLog', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const { log, nextRun, append, extent } = driveEventLog(() => store);

  describe('an append', () => {
    it('gives each event the next number, in the given order', async () => {
      await append(looseAppends(1));
      const before = (await extent()).last;
      const widgetId = createUuidV7();
      const events = [aVersionAppend(widgetId, 1), anEventAppend(), aVersionAppend(widgetId, 2), anEventAppend()];
      const { positions, last } = await append(events);
      expect(positions.map((position) => position?.seq)).toEqual([1, 2, 3, 4].map((n) => before.seq + n));
      expect(last).toMatchObject(positions[3] ?? {});
      expect((await extent()).last).toEqual(positions[3]);
      expect((await log().readAfter(before, 10)).map(({ event }) => event)).toEqual(events.map(({ event }) => event));
    });

    it('stamps with a time that does not fall and is about now', async () => {
      const seen: LogPosition[] = [];
      for (let n = 0; n < 5; n += 1) {
        const { positions } = await append(looseAppends(3));
        for (const position of positions) if (position !== null) seen.push(position);
      }
      const times = seen.map(({ ms }) => ms);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(Math.abs((times.at(-1) ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(new Set(seen.map(({ epoch }) => epoch)).size).toBe(1);
    });

    it('of 50 at once leaves no hole and no repeat in the numbers', async () => {
      await append(looseAppends(1));
      const before = (await extent()).last;
      const results = await Promise.all(Array.from({ length: 50 }, () => append(looseAppends(4))));
      const numbers = results.flatMap(({ positions }) => positions.map((position) => position?.seq ?? 0));
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => before.seq + 1 + n));
      for (const { positions } of results) {
        const [first = 0, ...rest] = positions.map((position) => position?.seq ?? 0);
        expect(rest).toEqual([first + 1, first + 2, first + 3]);
      }
      const records = await log().readAfter(before, 500);
      expect(records.map(({ seq }) => seq)).toEqual(numbers);
    });

    it('takes 256 events, and also none', async () => {
      const { positions, last } = await append(looseAppends(256));
      expect(positions).toHaveLength(256);
      expect(await append([])).toEqual({ positions: [], last, startedNewEpoch: false });
    });

    it('keeps every member of an event as it was', async () => {
      const { last } = await append(looseAppends(1));
      const events = [
        ...awkwardTexts.map((text) => anEvent({ labels: [text, 'a,b', ''], json: text, type: 'widget.retired' })),
        anEvent({ json: awkwardPayload, state: 'retired', stateBefore: 'active', type: 'widget.created' }),
        anEvent({ labels: [], stateBefore: null }),
        anEvent({ labels: null, state: null, stateBefore: null }),
        anEvent({ labels: null, state: null, stateBefore: null, widgetId: null }),
      ];
      await append(events.map((event) => ({ event, mark: { kind: 'event', eventId: event.eventId } })));
      expect((await log().readAfter(last, 50)).map(({ event }) => event)).toEqual(events);
    });
  });

  describe('a guard', () => {
    it('lets an event without a widget in once', async () => {
      const one = anEventAppend();
      const first = await append([one]);
      expect(await append([one])).toEqual({ positions: [null], last: first.last, startedNewEpoch: false });
    });

    it('lets a version in once, and never a lower one', async () => {
      const widgetId = createUuidV7();
      const first = await append([aVersionAppend(widgetId, 3)]);
      const again = await append([aVersionAppend(widgetId, 2), aVersionAppend(widgetId, 3)]);
      expect(again).toMatchObject({ positions: [null, null], last: first.last });
      const higher = await append([aVersionAppend(widgetId, 3), aVersionAppend(widgetId, 9)]);
      expect(higher.positions).toEqual([null, expect.objectContaining({ seq: first.last.seq + 1 })]);
    });

    it('holds inside one call', async () => {
      const widgetId = createUuidV7();
      const loose = anEventAppend();
      const versions = [1, 2, 1, 2, 3].map((version) => aVersionAppend(widgetId, version));
      const { positions } = await append([loose, loose, ...versions]);
      expect(positions.map((position) => position !== null)).toEqual([true, false, true, true, false, false, true]);
      const numbers = positions.flatMap((position) => (position === null ? [] : [position.seq]));
      expect(numbers).toEqual(numbers.map((_, n) => (numbers[0] ?? 0) + n));
    });

    it('holds for many calls at once', async () => {
      const widgetId = createUuidV7();
      const events = [anEventAppend(), aVersionAppend(widgetId, 1)];
      const results = await Promise.all(Array.from({ length: 20 }, () => append(events)));
      for (const index of [0, 1]) {
        expect(results.filter(({ positions }) => positions[index] !== null)).toHaveLength(1);
      }
    });

    it('of a widget is none of an event with the same id', async () => {
      const id = createUuidV7();
      const { positions } = await append([
        aVersionAppend(id, 1),
        { event: anEvent({ eventId: id }), mark: { kind: 'event', eventId: id } },
      ]);
      expect(positions).not.toContain(null);
    });

    it('still holds right after it was settled, and for versions settled too low', async () => {
      const widgetId = createUuidV7();
      const loose = anEventAppend();
      const version = aVersionAppend(widgetId, 2);
      await append([loose, version]);
      await log().expireMarks([loose.mark, version.mark, { kind: 'version', widgetId, version: 1 }], await nextRun());
      expect((await append([loose, version])).positions).toEqual([null, null]);
      expect((await append([aVersionAppend(widgetId, 3)])).positions).not.toContain(null);
    });

    it('may be settled when it is not known, and when there is none', async () => {
      await log().expireMarks([{ kind: 'event', eventId: randomUUID() }], await nextRun());
      await log().expireMarks([], await nextRun());
    });
  });

  describe('a position', () => {
    it('is in the log only exactly', async () => {
      const { positions } = await append(looseAppends(3));
      for (const position of positions) {
        if (position === null) throw new Error('a new event has a position');
        const contains = async (asked: LogPosition) => (await log().inspect(asked))?.contains;
        expect(await contains(position)).toBe(true);
        expect(await contains({ ...position, ms: position.ms + 1 })).toBe(false);
        expect(await contains({ ...position, seq: position.seq + 1000 })).toBe(false);
        expect(await contains({ ...position, epoch: `${position.epoch}x` })).toBe(false);
      }
    });

    it('pages through everything, without a hole or a repeat', async () => {
      await append(looseAppends(120));
      const { oldest, last } = await extent();
      const numbers: number[] = [];
      let after = oldest;
      for (;;) {
        const page = await log().readAfter(after, 50);
        expect(page.length).toBeLessThanOrEqual(50);
        const end = page.at(-1);
        if (end === undefined) break;
        numbers.push(...page.map(({ seq }) => seq));
        after = { epoch: end.epoch, ms: end.ms, seq: end.seq };
      }
      expect(numbers).toEqual(Array.from({ length: last.seq - oldest.seq }, (_, n) => oldest.seq + 1 + n));
      expect(after).toEqual(last);
      expect(await log().readAfter(last, 50)).toEqual([]);
    });

    it('is followed by events that each tell which one came before, from the beginning of the log', async () => {
      const own = await openTestBackend();
      const { eventLog, runs } = own.backend;
      const { run } = await runs.startRun();
      const { last: begin } = await eventLog.append(run, null, []);
      for (const count of [1, 3, 2]) await eventLog.append(run, null, looseAppends(count));
      const records = await eventLog.readAfter(begin, 50);
      expect(records).toHaveLength(6);
      expect(isContiguous(begin, records)).toBe(true);
      expect(isContiguous({ ...begin, ms: begin.ms - 1 }, records)).toBe(false);
      await own.dispose();
    });

    it('has before it what was appended last, in order', async () => {
      const { positions } = await append(looseAppends(7));
      const [a, , , , e] = positions;
      if (a == null || e == null) throw new Error('a new event has a position');
      const seqs = async (limit: number) => (await log().readUpTo(e, limit)).map(({ seq }) => seq);
      expect(await seqs(3)).toEqual([e.seq - 2, e.seq - 1, e.seq]);
      expect(await seqs(1)).toEqual([e.seq]);
      const page = await log().readUpTo(e, 5);
      expect(page).toEqual(await log().readAfter({ ...a, seq: a.seq - 1 }, 5));
    });

    it('at the beginning has nothing before it', async () => {
      await append(looseAppends(1));
      const { oldest } = await extent();
      expect(await log().readUpTo(oldest, 10)).toEqual([]);
      expect(await log().readUpTo({ epoch: 'other', ms: 0, seq: 0 }, 10)).toEqual([]);
      expect((await log().readUpTo({ ...oldest, seq: oldest.seq + 1 }, 10)).map(({ seq }) => seq)).toEqual([
        oldest.seq + 1,
      ]);
    });

    it('of another epoch, far back, is followed by what the log now has', async () => {
      await append(looseAppends(1));
      const [first] = await log().readAfter({ epoch: 'other', ms: 0, seq: 0 }, 1);
      expect(first?.seq).toBe((await extent()).oldest.seq + 1);
    });
  });

  it('keeps events, guards and epoch across a reopen', async () => {
    const loose = anEventAppend();
    const version = aVersionAppend(createUuidV7(), 4);
    const { last, positions } = await append([loose, version]);
    const before = await extent();
    await store.reopen();
    expect(await extent()).toEqual(before);
    const [first] = positions;
    const start = { ...before.last, seq: (first?.seq ?? 0) - 1 };
    const records = await log().readAfter(start, 10);
    expect(records.map(({ event }) => event)).toEqual([loose.event, version.event]);
    const again = await log().append(await nextRun(), last, [loose, version, anEventAppend()]);
    expect(again).toMatchObject({
      startedNewEpoch: false,
      positions: [null, null, { epoch: last.epoch, seq: last.seq + 1 }],
    });
  });
});
