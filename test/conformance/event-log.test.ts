import { randomUUID } from 'node:crypto';
import { isContiguous, type LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { describe, expect, test } from 'vitest';
import { anEvent, anEventAppend, aVersionAppend, awkwardPayload, awkwardTexts } from '../drivers/app/builders.ts';
import { buildEventAppends, driveEventLog } from '../drivers/app/log-drivers.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';

const testBackend = await openSharedBackend();
const { log, nextRun, append, extent } = driveEventLog(() => testBackend);

describe('EventLog.append', () => {
  test('numbers the events without holes, in the given order', async () => {
    await append(buildEventAppends(1));
    const before = (await extent()).last;
    const widgetId = createUuidV7();
    const events = [aVersionAppend(widgetId, 1), anEventAppend(), aVersionAppend(widgetId, 2), anEventAppend()];
    const { positions, last } = await append(events);
    expect(positions.map((position) => position?.seq)).toEqual([1, 2, 3, 4].map((n) => before.seq + n));
    expect(last).toMatchObject(positions[3] ?? {});
    expect((await extent()).last).toEqual(positions[3]);
    expect((await log().readAfter(before, 10)).map(({ event }) => event)).toEqual(events.map(({ event }) => event));
  });

  test('gives each event the current time, which never decreases', async () => {
    const seen: LogPosition[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { positions } = await append(buildEventAppends(3));
      for (const position of positions) if (position !== null) seen.push(position);
    }
    const times = seen.map(({ ms }) => ms);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(Math.abs((times.at(-1) ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(new Set(seen.map(({ epoch }) => epoch)).size).toBe(1);
  });

  test('numbers events without holes or repeats when 50 appends run at once', async () => {
    await append(buildEventAppends(1));
    const before = (await extent()).last;
    const results = await Promise.all(Array.from({ length: 50 }, () => append(buildEventAppends(4))));
    const numbers = results.flatMap(({ positions }) => positions.map((position) => position?.seq ?? 0));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => before.seq + 1 + n));
    for (const { positions } of results) {
      const [first = 0, ...rest] = positions.map((position) => position?.seq ?? 0);
      expect(rest).toEqual([first + 1, first + 2, first + 3]);
    }
    const records = await log().readAfter(before, 500);
    expect(records.map(({ seq }) => seq)).toEqual(numbers);
  });

  test('accepts 256 events, and an empty list', async () => {
    const { positions, last } = await append(buildEventAppends(256));
    expect(positions).toHaveLength(256);
    expect(await append([])).toEqual({ positions: [], last, startedNewEpoch: false });
  });

  test('keeps every member of an event unchanged', async () => {
    const { last } = await append(buildEventAppends(1));
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

describe('EventLog.append, with dedupe marks', () => {
  test('appends an event without a widget once', async () => {
    const added = anEventAppend();
    const first = await append([added]);
    expect(await append([added])).toEqual({ positions: [null], last: first.last, startedNewEpoch: false });
  });

  test('appends a version once, and skips lower versions', async () => {
    const widgetId = createUuidV7();
    const first = await append([aVersionAppend(widgetId, 3)]);
    const repeated = await append([aVersionAppend(widgetId, 2), aVersionAppend(widgetId, 3)]);
    expect(repeated).toMatchObject({ positions: [null, null], last: first.last });
    const higher = await append([aVersionAppend(widgetId, 3), aVersionAppend(widgetId, 9)]);
    expect(higher.positions).toEqual([null, expect.objectContaining({ seq: first.last.seq + 1 })]);
  });

  test('skips repeats within one call', async () => {
    const widgetId = createUuidV7();
    const withoutWidget = anEventAppend();
    const versions = [1, 2, 1, 2, 3].map((version) => aVersionAppend(widgetId, version));
    const { positions } = await append([withoutWidget, withoutWidget, ...versions]);
    expect(positions.map((position) => position !== null)).toEqual([true, false, true, true, false, false, true]);
    const numbers = positions.flatMap((position) => (position === null ? [] : [position.seq]));
    expect(numbers).toEqual(numbers.map((_, n) => (numbers[0] ?? 0) + n));
  });

  test('appends an event once when many calls run at once', async () => {
    const widgetId = createUuidV7();
    const events = [anEventAppend(), aVersionAppend(widgetId, 1)];
    const results = await Promise.all(Array.from({ length: 20 }, () => append(events)));
    for (const index of [0, 1]) {
      expect(results.filter(({ positions }) => positions[index] !== null)).toHaveLength(1);
    }
  });

  test('keeps the mark of a widget apart from that of an event with the same id', async () => {
    const id = createUuidV7();
    const { positions } = await append([
      aVersionAppend(id, 1),
      { event: anEvent({ eventId: id }), mark: { kind: 'event', eventId: id } },
    ]);
    expect(positions).not.toContain(null);
  });

  test('keeps a mark right after expireMarks, and a watermark that is above the expired version', async () => {
    const widgetId = createUuidV7();
    const withoutWidget = anEventAppend();
    const version = aVersionAppend(widgetId, 2);
    await append([withoutWidget, version]);
    await log().expireMarks(
      [withoutWidget.mark, version.mark, { kind: 'version', widgetId, version: 1 }],
      await nextRun(),
    );
    expect((await append([withoutWidget, version])).positions).toEqual([null, null]);
    expect((await append([aVersionAppend(widgetId, 3)])).positions).not.toContain(null);
  });

  test('keeps the marks that expireMarks was not called for, also after a trim', async () => {
    const withoutWidget = anEventAppend();
    const version = aVersionAppend(createUuidV7(), 1);
    const { last } = await append([withoutWidget, version]);
    await log().trim(last);
    expect((await append([withoutWidget, version])).positions).toEqual([null, null]);
  });

  test('accepts unknown marks and an empty list in expireMarks', async () => {
    await log().expireMarks([{ kind: 'event', eventId: randomUUID() }], await nextRun());
    await log().expireMarks([], await nextRun());
  });
});

describe('EventLog.inspect, readAfter and readUpTo', () => {
  test('inspect finds only the exact position', async () => {
    const { positions } = await append(buildEventAppends(3));
    for (const position of positions) {
      if (position === null) throw new Error('A new event has no position.');
      const contains = async (candidate: LogPosition) => (await log().inspect(candidate))?.contains;
      expect(await contains(position)).toBe(true);
      expect(await contains({ ...position, ms: position.ms + 1 })).toBe(false);
      expect(await contains({ ...position, seq: position.seq + 1000 })).toBe(false);
      expect(await contains({ ...position, epoch: `${position.epoch}x` })).toBe(false);
    }
  });

  test('readAfter pages through the log without holes or repeats', async () => {
    await append(buildEventAppends(120));
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

  test('readAfter returns events that name their predecessor, from the beginning of the log', async () => {
    const emptyBackend = await openTestBackend();
    const { eventLog, runs } = emptyBackend.backend;
    const { run } = await runs.startRun();
    const { last: begin } = await eventLog.append(run, null, []);
    for (const count of [1, 3, 2]) await eventLog.append(run, null, buildEventAppends(count));
    const records = await eventLog.readAfter(begin, 50);
    expect(records).toHaveLength(6);
    expect(isContiguous(begin, records)).toBe(true);
    expect(isContiguous({ ...begin, ms: begin.ms - 1 }, records)).toBe(false);
    await emptyBackend.dispose();
  });

  test('readUpTo returns the last events up to a position, oldest first', async () => {
    const { positions } = await append(buildEventAppends(7));
    const [a, , , , e] = positions;
    if (a == null || e == null) throw new Error('A new event has no position.');
    const seqs = async (limit: number) => (await log().readUpTo(e, limit)).map(({ seq }) => seq);
    expect(await seqs(3)).toEqual([e.seq - 2, e.seq - 1, e.seq]);
    expect(await seqs(1)).toEqual([e.seq]);
    const page = await log().readUpTo(e, 5);
    expect(page).toEqual(await log().readAfter({ ...a, seq: a.seq - 1 }, 5));
  });

  test('readUpTo returns nothing at the beginning of the log', async () => {
    await append(buildEventAppends(1));
    const { oldest } = await extent();
    expect(await log().readUpTo(oldest, 10)).toEqual([]);
    expect(await log().readUpTo({ epoch: 'other', ms: 0, seq: 0 }, 10)).toEqual([]);
    expect((await log().readUpTo({ ...oldest, seq: oldest.seq + 1 }, 10)).map(({ seq }) => seq)).toEqual([
      oldest.seq + 1,
    ]);
  });

  test('readAfter returns the oldest events after a position of another epoch', async () => {
    await append(buildEventAppends(1));
    const [first] = await log().readAfter({ epoch: 'other', ms: 0, seq: 0 }, 1);
    expect(first?.seq).toBe((await extent()).oldest.seq + 1);
  });
});

describe('EventLog, after a reopen', () => {
  test('keeps events, dedupe marks and epoch', async () => {
    const withoutWidget = anEventAppend();
    const version = aVersionAppend(createUuidV7(), 4);
    const { last, positions } = await append([withoutWidget, version]);
    const before = await extent();
    await testBackend.reopen();
    expect(await extent()).toEqual(before);
    const [first] = positions;
    const start = { ...before.last, seq: (first?.seq ?? 0) - 1 };
    const records = await log().readAfter(start, 10);
    expect(records.map(({ event }) => event)).toEqual([withoutWidget.event, version.event]);
    const repeated = await log().append(await nextRun(), last, [withoutWidget, version, anEventAppend()]);
    expect(repeated).toMatchObject({
      startedNewEpoch: false,
      positions: [null, null, { epoch: last.epoch, seq: last.seq + 1 }],
    });
  });
});
