import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { expect, it } from 'vitest';
import { LogDiscontinuityError, makeReadLog } from './log-reader.ts';

const nothing = { widgetId: null, state: null, stateBefore: null, labels: null };
const event = { eventId: 'e', type: 'widget.updated', ...nothing, json: '{}' } as const;
const record = (seq: number, epoch = 'now', previousMs = seq - 1): LogRecord => ({
  epoch,
  ms: seq,
  seq,
  previousMs,
  event,
});
const at = (seq: number, epoch = 'now'): LogPosition => ({ epoch, ms: seq, seq });

/** A log whose answers are given by hand. */
function askedLog() {
  const asked: { after: LogPosition; answer: (records: LogRecord[]) => void; fail: (error: Error) => void }[] = [];
  const readAfter = (after: LogPosition) =>
    new Promise<LogRecord[]>((answer, fail) => {
      asked.push({ after, answer, fail });
    });
  return { asked, read: makeReadLog({ readAfter }, (ask) => ask(500)) };
}

it('a page is read once for all who want it meanwhile, and anew for who comes later', async () => {
  const { asked, read } = askedLog();
  const crowd = Array.from({ length: 1_000 }, () => read(at(5)));
  await Promise.resolve();
  expect(asked).toHaveLength(1);
  asked[0]?.answer([record(6), record(7)]);
  for (const page of await Promise.all(crowd)) expect(page.map(({ seq }) => seq)).toEqual([6, 7]);
  void read(at(5));
  await Promise.resolve();
  expect(asked).toHaveLength(2);
});

it('other pages are read beside it, twenty at once', async () => {
  const { asked, read } = askedLog();
  const pages = Array.from({ length: 50 }, (_, n) => read(at(n)));
  await Promise.resolve();
  expect(asked).toHaveLength(20);
  for (let n = 0; n < 50; n += 1) {
    asked[n]?.answer([record(n + 1)]);
    await pages[n];
    await Promise.resolve();
  }
  expect(asked).toHaveLength(50);
});

it('who shares a page shares its failure, and the next try is a new one', async () => {
  const { asked, read } = askedLog();
  const both = [read(at(5)), read(at(5))];
  await Promise.resolve();
  asked[0]?.fail(new Error('away'));
  for (const each of both) await expect(each).rejects.toThrow('away');
  const again = read(at(5));
  await Promise.resolve();
  asked[1]?.answer([]);
  expect(await again).toEqual([]);
});

it.each([
  ['does not begin right after the position', [record(7)]],
  ['has a hole', [record(6), record(8)]],
  ['is of another epoch', [record(6, 'new')]],
  ['comes after another event of the same number', [record(6, 'now', 4)]],
  ['changes from one history to another', [record(6), record(7, 'now', 5)]],
])('a page that %s is none', async (_, records) => {
  const { asked, read } = askedLog();
  const page = read(at(5));
  await Promise.resolve();
  asked[0]?.answer(records);
  await expect(page).rejects.toBeInstanceOf(LogDiscontinuityError);
});
