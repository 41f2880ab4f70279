import { afterEach, describe, expect, it } from 'vitest';
import type { StreamEntitlement } from '../auth/stream-entitlement.ts';
import { anEntitlement, type FakeHub, type FakeHubOptions, openFakeHub } from './testing/fake-hub.ts';
import { closingReasonIn, eventsIn, openFakeSink, positionsIn } from './testing/fake-sink.ts';

const open: FakeHub[] = [];
afterEach(() => {
  for (const { hub } of open.splice(0)) hub.close();
});

function openHub(options: FakeHubOptions['options'] = {}, more: Partial<FakeHubOptions> = {}) {
  const fake = openFakeHub({ ringFrames: 100, options, ...more });
  open.push(fake);
  return fake;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const rightOf = (id: string, filter = {}): StreamEntitlement =>
  anEntitlement(filter, { holder: { kind: 'subscription', id } });
const [ours, theirs] = [rightOf('ours'), rightOf('theirs')];
const created = { type: 'widget.created' } as const;
const retired = { type: 'widget.retired' } as const;

describe('rights', () => {
  it('are told once for all streams that were opened with one', () => {
    const { hub, join } = openHub();
    const sinks = [ours, ours, theirs].map((right) => {
      const sink = openFakeSink();
      join(sink, 0, right);
      return sink;
    });
    expect([...hub.entitlements()]).toEqual([ours, theirs]);
    sinks[2]!.leave();
    expect([...hub.entitlements()]).toEqual([ours]);
  });

  it.each(['revoked', 'expired'] as const)('that are %s end their streams at once, and no others', async (reason) => {
    const { hub, append, join, reasons } = openHub();
    const [ended, left] = [openFakeSink(), openFakeSink()];
    join(ended, 0, ours);
    join(left, 0, theirs);
    append(1);
    await left.until(() => eventsIn(left).length === 1);
    hub.reevaluate((right) => (right === ours ? reason : right));
    expect([ended.isEnded, closingReasonIn(ended), reasons]).toEqual([true, reason, [reason]]);
    append(2);
    await left.until(() => eventsIn(left).length === 3);
    expect(eventsIn(ended)).toEqual([1]);
    expect(left.isEnded).toBe(false);
  });

  it('that are revoked end before what was about to be written', async () => {
    const { hub, append, join } = openHub();
    const sink = openFakeSink();
    join(sink, 0, ours);
    append(3, created);
    hub.reevaluate(() => 'revoked');
    await nextTurn();
    expect([eventsIn(sink), positionsIn(sink), closingReasonIn(sink)]).toEqual([[], [], 'revoked']);
  });

  it.each(['revoked', 'expired'] as const)('that are %s take back what lies unsent', async (reason) => {
    const { hub, append, join, reasons } = openHub();
    const sink = openFakeSink();
    join(sink, 0, ours);
    append(1);
    await sink.until(() => eventsIn(sink).length === 1);
    sink.pause();
    append(3);
    await sink.until(() => eventsIn(sink).length === 4);
    hub.reevaluate(() => reason);
    expect([sink.isEnded, eventsIn(sink), reasons]).toEqual([true, [1], [reason]]);
  });

  it('that are revoked stop a replay', async () => {
    const { hub, append, join, reads } = openHub({ unsentLimitBytes: 100 }, { ringFrames: 1 });
    append(200);
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0, ours);
    await sink.until(() => sink.unsentBytes() >= 100 && reads.length === 1);
    hub.reevaluate(() => 'revoked');
    sink.resume();
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    expect(eventsIn(sink)).toEqual([]);
    expect(reads).toEqual([0]);
  });

  it('end by the calendar, also when nobody says so', async () => {
    const time = { ms: Date.parse('2026-03-01T10:00:00Z') };
    const clock = { now: () => new Date(time.ms), monotonicMs: () => performance.now(), sleep: async () => undefined };
    const { join, reasons } = openHub({ heartbeatIntervalMs: 100 }, { clock });
    const [sink, other] = [openFakeSink(), openFakeSink()];
    join(sink, 0, { ...ours, validUntil: new Date(time.ms + 1_000) });
    join(other, 0, { ...theirs, validUntil: new Date(time.ms + 1_001) });
    time.ms += 999;
    await sink.until(() => sink.text().includes(':\n\n'));
    expect(reasons).toEqual([]);
    time.ms += 1;
    await sink.until(() => sink.isEnded);
    expect([closingReasonIn(sink), reasons, other.isEnded]).toEqual(['expired', ['expired'], false]);
  });

  it('that are prolonged in time go on', async () => {
    const time = { ms: 1_000_000 };
    const clock = { now: () => new Date(time.ms), monotonicMs: () => performance.now(), sleep: async () => undefined };
    const { hub, join, reasons } = openHub({ heartbeatIntervalMs: 100 }, { clock });
    const sink = openFakeSink();
    join(sink, 0, { ...ours, validUntil: new Date(1_001_000) });
    hub.reevaluate((right) => ({ ...right, validUntil: null }));
    time.ms += 2_000;
    await sink.until(() => sink.text().includes(':\n\n'));
    expect(reasons).toEqual([]);
  });
});

describe('a changed filter', () => {
  it('holds from the next event on', async () => {
    const { hub, append, join } = openHub();
    const sink = openFakeSink();
    join(sink, 0, rightOf('ours', { types: ['widget.created'] }));
    append(1, created);
    append(1, retired);
    await sink.until(() => eventsIn(sink).length === 1);
    hub.reevaluate(() => rightOf('ours', { types: ['widget.retired'] }));
    append(1, created);
    append(1, retired);
    await sink.until(() => eventsIn(sink).length === 2);
    hub.reevaluate(() => rightOf('ours'));
    append(1, created);
    await sink.until(() => eventsIn(sink).length === 3);
    expect(eventsIn(sink)).toEqual([1, 4, 5]);
  });

  it('holds for what had come and was not written yet', async () => {
    const { hub, append, join } = openHub();
    const sink = openFakeSink();
    join(sink, 0, ours);
    append(2, created);
    hub.reevaluate(() => rightOf('ours', { types: ['widget.retired'] }));
    append(1, retired);
    await sink.until(() => eventsIn(sink).length === 1);
    expect(eventsIn(sink)).toEqual([3]);
  });

  it('holds for the rest of a replay', async () => {
    const { hub, append, join } = openHub({ unsentLimitBytes: 50 }, { ringFrames: 1 });
    append(1, retired);
    for (let pair = 0; pair < 10; pair += 1) {
      append(1, created);
      append(1, retired);
    }
    const sink = openFakeSink();
    join(sink, 0, rightOf('ours', { types: ['widget.created'] }));
    hub.reevaluate(() => rightOf('ours', { types: ['widget.retired'] }));
    await sink.until(() => eventsIn(sink).at(-1) === 21);
    expect(eventsIn(sink)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21]);
  });

  it('takes back what lies unsent, and lets the client resume', async () => {
    const { hub, append, join, reasons } = openHub();
    const [slow, quick] = [openFakeSink(), openFakeSink()];
    for (const sink of [slow, quick]) join(sink, 0, ours);
    slow.pause();
    append(2, created);
    await quick.until(() => eventsIn(quick).length === 2);
    hub.reevaluate(() => rightOf('ours', { types: ['widget.retired'] }));
    expect([slow.isEnded, eventsIn(slow), reasons]).toEqual([true, [], ['resync']]);
    expect(quick.isEnded).toBe(false);
  });

  it('that lets the same through leaves slow clients alone', async () => {
    const { hub, append, join, reasons } = openHub();
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0, rightOf('ours', { labels: ['a', 'b'] }));
    append(1, { labels: ['a'] });
    await sink.until(() => sink.unsentBytes() > 0);
    hub.reevaluate(() => rightOf('ours', { labels: ['b', 'a'] }));
    expect(reasons).toEqual([]);
    expect(eventsIn(sink)).toEqual([1]);
  });
});
