import { afterEach, describe, expect, test } from 'vitest';
import type { StreamEntitlement } from '../../revocation/stream-entitlement.ts';
import { anEntitlement, type FakeHub, type FakeHubOptions, openFakeHub, waitForImmediate } from './testing/fake-hub.ts';
import { openFakeSink, parseClosingReason, parseEventSeqs, parsePositionSeqs } from './testing/fake-sink.ts';

const open: FakeHub[] = [];
afterEach(() => {
  for (const { hub } of open.splice(0)) hub.close();
});

function openHub(options: FakeHubOptions['options'] = {}, more: Partial<FakeHubOptions> = {}) {
  const fake = openFakeHub({ ringFrames: 100, options, ...more });
  open.push(fake);
  return fake;
}

const anEntitlementOf = (id: string, filter = {}): StreamEntitlement =>
  anEntitlement(filter, { holder: { kind: 'subscription', id } });
const [ours, theirs] = [anEntitlementOf('ours'), anEntitlementOf('theirs')];
const created = { type: 'widget.created' } as const;
const retired = { type: 'widget.retired' } as const;

describe('entitlements', () => {
  test('are listed once for all streams that share one', () => {
    const { hub, join } = openHub();
    const sinks = [ours, ours, theirs].map((entitlement) => {
      const sink = openFakeSink();
      join(sink, 0, entitlement);
      return sink;
    });
    expect([...hub.entitlements()]).toEqual([ours, theirs]);
    sinks[2]!.leave();
    expect([...hub.entitlements()]).toEqual([ours]);
  });

  test.each(['revoked', 'expired'] as const)('that are %s end their streams at once and no others', async (reason) => {
    const { hub, append, join, reasons } = openHub();
    const [ended, kept] = [openFakeSink(), openFakeSink()];
    join(ended, 0, ours);
    join(kept, 0, theirs);
    append(1);
    await kept.until(() => parseEventSeqs(kept).length === 1);
    hub.reevaluate((entitlement) => (entitlement === ours ? { status: reason } : { status: 'ok', entitlement }));
    expect([ended.isEnded, parseClosingReason(ended), reasons]).toEqual([true, reason, [reason]]);
    append(2);
    await kept.until(() => parseEventSeqs(kept).length === 3);
    expect(parseEventSeqs(ended)).toEqual([1]);
    expect(kept.isEnded).toBe(false);
  });

  test('that are revoked end a stream before its scheduled events are written', async () => {
    const { hub, append, join } = openHub();
    const sink = openFakeSink();
    join(sink, 0, ours);
    append(3, created);
    hub.reevaluate(() => ({ status: 'revoked' }));
    await waitForImmediate();
    expect([parseEventSeqs(sink), parsePositionSeqs(sink), parseClosingReason(sink)]).toEqual([[], [], 'revoked']);
  });

  test.each(['revoked', 'expired'] as const)('that are %s drop the unsent bytes of their streams', async (reason) => {
    const { hub, append, join, reasons } = openHub();
    const sink = openFakeSink();
    join(sink, 0, ours);
    append(1);
    await sink.until(() => parseEventSeqs(sink).length === 1);
    sink.pause();
    append(3);
    await sink.until(() => parseEventSeqs(sink).length === 4);
    hub.reevaluate(() => ({ status: reason }));
    expect([sink.isEnded, parseEventSeqs(sink), reasons]).toEqual([true, [1], [reason]]);
  });

  test('that are revoked stop a replay', async () => {
    const { hub, append, join, reads } = openHub({ unsentLimitBytes: 100 }, { ringFrames: 1 });
    append(200);
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0, ours);
    await sink.until(() => sink.unsentBytes() >= 100 && reads.length === 1);
    hub.reevaluate(() => ({ status: 'revoked' }));
    sink.resume();
    for (let turn = 0; turn < 5; turn += 1) await waitForImmediate();
    expect(parseEventSeqs(sink)).toEqual([]);
    expect(reads).toEqual([0]);
  });

  test('end a stream at validUntil without any announcement', async () => {
    const time = { ms: Date.parse('2026-03-01T10:00:00Z') };
    const clock = { now: () => new Date(time.ms), monotonicMs: () => performance.now(), sleep: async () => undefined };
    const { join, reasons } = openHub({ heartbeatIntervalMs: 100 }, { clock });
    const [sink, other] = [openFakeSink(), openFakeSink()];
    join(sink, 0, { ...ours, validUntil: new Date(time.ms + 1_000) });
    join(other, 0, { ...theirs, validUntil: new Date(time.ms + 1_001) });
    time.ms += 999;
    await sink.until(() => sink.text().includes(':\n'));
    expect(reasons).toEqual([]);
    time.ms += 1;
    await sink.until(() => sink.isEnded);
    expect([parseClosingReason(sink), reasons, other.isEnded]).toEqual(['expired', ['expired'], false]);
  });

  test('that are prolonged before validUntil keep their streams open', async () => {
    const time = { ms: 1_000_000 };
    const clock = { now: () => new Date(time.ms), monotonicMs: () => performance.now(), sleep: async () => undefined };
    const { hub, join, reasons } = openHub({ heartbeatIntervalMs: 100 }, { clock });
    const sink = openFakeSink();
    join(sink, 0, { ...ours, validUntil: new Date(1_001_000) });
    hub.reevaluate((entitlement) => ({ status: 'ok', entitlement: { ...entitlement, validUntil: null } }));
    time.ms += 2_000;
    await sink.until(() => sink.text().includes(':\n'));
    expect(reasons).toEqual([]);
  });
});

describe('a changed filter', () => {
  test('applies from the next event on', async () => {
    const { hub, append, join } = openHub();
    const sink = openFakeSink();
    join(sink, 0, anEntitlementOf('ours', { types: ['widget.created'] }));
    append(1, created);
    append(1, retired);
    await sink.until(() => parseEventSeqs(sink).length === 1);
    hub.reevaluate(() => ({ status: 'ok', entitlement: anEntitlementOf('ours', { types: ['widget.retired'] }) }));
    append(1, created);
    append(1, retired);
    await sink.until(() => parseEventSeqs(sink).length === 2);
    hub.reevaluate(() => ({ status: 'ok', entitlement: anEntitlementOf('ours') }));
    append(1, created);
    await sink.until(() => parseEventSeqs(sink).length === 3);
    expect(parseEventSeqs(sink)).toEqual([1, 4, 5]);
  });

  test('applies to events that were appended but not written yet', async () => {
    const { hub, append, join } = openHub();
    const sink = openFakeSink();
    join(sink, 0, ours);
    append(2, created);
    hub.reevaluate(() => ({ status: 'ok', entitlement: anEntitlementOf('ours', { types: ['widget.retired'] }) }));
    append(1, retired);
    await sink.until(() => parseEventSeqs(sink).length === 1);
    expect(parseEventSeqs(sink)).toEqual([3]);
  });

  test('applies to the rest of a replay', async () => {
    const { hub, append, join } = openHub({ unsentLimitBytes: 50 }, { ringFrames: 1 });
    append(1, retired);
    for (let pair = 0; pair < 10; pair += 1) {
      append(1, created);
      append(1, retired);
    }
    const sink = openFakeSink();
    join(sink, 0, anEntitlementOf('ours', { types: ['widget.created'] }));
    hub.reevaluate(() => ({ status: 'ok', entitlement: anEntitlementOf('ours', { types: ['widget.retired'] }) }));
    await sink.until(() => parseEventSeqs(sink).at(-1) === 21);
    expect(parseEventSeqs(sink)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21]);
  });

  test('closes a stream that has unsent bytes with resync', async () => {
    const { hub, append, join, reasons } = openHub();
    const [slow, fast] = [openFakeSink(), openFakeSink()];
    for (const sink of [slow, fast]) join(sink, 0, ours);
    slow.pause();
    append(2, created);
    await fast.until(() => parseEventSeqs(fast).length === 2);
    hub.reevaluate(() => ({ status: 'ok', entitlement: anEntitlementOf('ours', { types: ['widget.retired'] }) }));
    expect([slow.isEnded, parseEventSeqs(slow), reasons]).toEqual([true, [], ['resync']]);
    expect(fast.isEnded).toBe(false);
  });

  test('that passes the same events leaves slow clients open', async () => {
    const { hub, append, join, reasons } = openHub();
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0, anEntitlementOf('ours', { labels: ['a', 'b'] }));
    append(1, { labels: ['a'] });
    await sink.until(() => sink.unsentBytes() > 0);
    hub.reevaluate(() => ({ status: 'ok', entitlement: anEntitlementOf('ours', { labels: ['b', 'a'] }) }));
    expect(reasons).toEqual([]);
    expect(parseEventSeqs(sink)).toEqual([1]);
  });
});
