import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anEntitlement, type FakeHub, openFakeHub } from '../streams/fan-out/testing/fake-hub.ts';
import {
  type FakeSink,
  openFakeSink,
  parseClosingReason,
  parseEventSeqs,
} from '../streams/fan-out/testing/fake-sink.ts';
import { EntitlementChecks } from './recheck-open-streams.ts';
import type { EntitlementVerdict, StreamEntitlement } from './stream-entitlement.ts';

const unavailable = new UnavailableError('the store is unavailable');

let fake: FakeHub;
beforeEach(() => {
  fake = openFakeHub({ ringFrames: 100 });
});
afterEach(() => fake.hub.close());

/**
 * Checks over a scripted store and a clock that the test sets. An entitlement without an entry in `answers` is
 * unchanged. With a `random` of 0, the first check of every new entitlement is due at once; with 1, only after 57 s.
 */
function setUp(random?: () => number) {
  const state = {
    nowMs: 0,
    /** Token digests that were looked up, in order. */
    lookedUp: [] as string[],
    /** By token digest. A look-up reads its answer when it starts. */
    answers: new Map<string, EntitlementVerdict | Error>(),
    failures: [] as unknown[],
    /** Token digests that the cache does not trust. */
    suspect: [] as string[],
    /** Token digests that the checks made the cache forget. */
    forgotten: [] as string[],
    /** A look-up that starts now awaits this promise before it answers. */
    answerDelay: Promise.resolve(),
  };
  const checks = new EntitlementChecks({
    streams: fake.hub,
    lookUp: async (entitlement) => {
      state.lookedUp.push(entitlement.tokenDigest);
      const { answerDelay } = state;
      const answer = state.answers.get(entitlement.tokenDigest) ?? { status: 'ok', entitlement };
      await answerDelay;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    tokenCache: {
      isTrusted: (digest) => !state.suspect.includes(digest),
      forget: (digest) => void state.forgotten.push(digest),
    },
    clock: { monotonicMs: () => state.nowMs },
    onFailure: (error) => state.failures.push(error),
    ...(random === undefined ? {} : { random }),
  });
  return { checks, state };
}

function anEntitlementOf(tokenDigest: string, filter: Parameters<typeof anEntitlement>[0] = {}): StreamEntitlement {
  return anEntitlement(filter, { tokenDigest, holder: { kind: 'subscription', id: `holder of ${tokenDigest}` } });
}

function openStreams(...digests: string[]): FakeSink[] {
  return digests.map((digest) => {
    const sink = openFakeSink();
    fake.join(sink, 0, anEntitlementOf(digest));
    return sink;
  });
}

describe('check', () => {
  test('ends the streams of revoked and expired entitlements and no others', async () => {
    const { checks, state } = setUp();
    const sinks = openStreams('a', 'b', 'c', 'a');
    state.answers.set('a', { status: 'revoked' }).set('b', { status: 'expired' });
    await checks.check(fake.hub.entitlements());
    expect(sinks.map(parseClosingReason)).toEqual(['revoked', 'expired', null, 'revoked']);
    expect(state.forgotten).toEqual(['a', 'b']);
    expect(state.lookedUp.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('gives streams the current filter', async () => {
    const { checks, state } = setUp();
    const [sink] = openStreams('a') as [FakeSink];
    state.answers.set('a', { status: 'ok', entitlement: anEntitlementOf('a', { types: ['widget.retired'] }) });
    await checks.check(fake.hub.entitlements());
    fake.append(1, { type: 'widget.updated' });
    fake.append(1, { type: 'widget.retired' });
    await sink.until(() => parseEventSeqs(sink).length > 0);
    expect(parseEventSeqs(sink)).toEqual([2]);
  });

  test('runs at most twenty look-ups at once', async () => {
    openStreams(...Array.from({ length: 100 }, (_, n) => `${n}`));
    let running = 0;
    let highest = 0;
    const checks = new EntitlementChecks({
      streams: fake.hub,
      lookUp: async (entitlement) => {
        running += 1;
        highest = Math.max(highest, running);
        await new Promise(setImmediate);
        running -= 1;
        return { status: 'ok', entitlement };
      },
      tokenCache: { isTrusted: () => true, forget: () => undefined },
      clock: { monotonicMs: () => 0 },
      onFailure: () => undefined,
    });
    await checks.check(fake.hub.entitlements());
    expect(highest).toBe(20);
  });

  test('ends no stream and stops when the store is unavailable, and checkDue then checks all of them', async () => {
    const { checks, state } = setUp(() => 1);
    const digests = Array.from({ length: 100 }, (_, n) => `${n}`);
    const sinks = openStreams(...digests);
    for (const digest of digests) state.answers.set(digest, unavailable);
    await checks.check(fake.hub.entitlements());
    expect(sinks.filter((sink) => sink.isEnded)).toEqual([]);
    expect(state.lookedUp.length).toBeLessThanOrEqual(20);
    for (const digest of digests) state.answers.set(digest, { status: 'revoked' });
    await checks.checkDue();
    expect(sinks.map(parseClosingReason)).toEqual(digests.map(() => 'revoked'));
  });

  test('reports a failure that is no UnavailableError, and continues with the other entitlements', async () => {
    const { checks, state } = setUp();
    const sinks = openStreams('broken', 'gone');
    const error = new Error('a document cannot be parsed');
    state.answers.set('broken', error).set('gone', { status: 'revoked' });
    await checks.check(fake.hub.entitlements());
    expect(state.failures).toEqual([error]);
    expect(sinks.map(parseClosingReason)).toEqual([null, 'revoked']);
  });

  test('has no effect on an entitlement that a later check has already decided', async () => {
    const { checks, state } = setUp();
    const [sink] = openStreams('a') as [FakeSink];
    const { promise, resolve } = Promise.withResolvers<void>();
    state.answerDelay = promise;
    state.answers.set('a', { status: 'ok', entitlement: anEntitlementOf('a', { types: ['widget.updated'] }) });
    const earlierCheck = checks.check(fake.hub.entitlements());
    state.answerDelay = Promise.resolve();
    state.answers.set('a', { status: 'ok', entitlement: anEntitlementOf('a', { types: ['widget.retired'] }) });
    await checks.check(fake.hub.entitlements());
    resolve();
    await earlierCheck;
    fake.append(1, { type: 'widget.updated' });
    fake.append(1, { type: 'widget.retired' });
    await sink.until(() => parseEventSeqs(sink).length > 0);
    expect(parseEventSeqs(sink)).toEqual([2]);
  });
});

describe('checkDue', () => {
  test('checks every entitlement within each minute, and only a few of them in each second', async () => {
    let n = 0;
    const { checks, state } = setUp(() => (n++ % 100) / 100);
    openStreams(...Array.from({ length: 200 }, (_, digest) => `${digest}`));
    for (let minute = 0; minute < 3; minute += 1) {
      const lookedUp = new Set<string>();
      for (let second = 0; second < 60; second += 1) {
        state.lookedUp = [];
        await checks.checkDue();
        expect(state.lookedUp.length).toBeLessThanOrEqual(10);
        for (const digest of state.lookedUp) lookedUp.add(digest);
        state.nowMs += 1_000;
      }
      expect(lookedUp.size).toBe(200);
    }
  });

  test('checks an entitlement at once, and only once, if its stream was opened on a suspect token', async () => {
    const { checks, state } = setUp(() => 1);
    state.suspect.push('a');
    openStreams('a', 'b');
    await checks.checkDue();
    expect(state.lookedUp).toEqual(['a']);
    await checks.checkDue();
    expect(state.lookedUp).toEqual(['a']);
  });

  test('checks a stream at once that was opened on a suspect token after a check had revoked it', async () => {
    const { checks, state } = setUp(() => 1);
    openStreams('a');
    state.answers.set('a', { status: 'revoked' });
    await checks.check(fake.hub.entitlements());
    state.suspect.push('a');
    const [reopened] = openStreams('a') as [FakeSink];
    await checks.checkDue();
    expect(parseClosingReason(reopened)).toBe('revoked');
  });

  test('looks up an entitlement once for all its streams', async () => {
    const { checks, state } = setUp(() => 0);
    for (let n = 0; n < 5; n += 1) openStreams('a');
    await checks.checkDue();
    expect(state.lookedUp).toEqual(['a']);
    await checks.checkDue();
    expect(state.lookedUp).toEqual(['a']);
  });

  test('checks at once every entitlement that checkAll could not look up', async () => {
    const { checks, state } = setUp(() => 1);
    // Checks are made in groups of 2 000: checkAll stops after the first group and never starts the second one.
    const digests = Array.from({ length: 2_001 }, (_, n) => `${n}`);
    const sinks = openStreams(...digests);
    for (const digest of digests) state.answers.set(digest, unavailable);
    expect(await checks.checkAll()).toBe(false);
    for (const digest of digests) state.answers.set(digest, { status: 'revoked' });
    await checks.checkDue();
    await checks.checkDue();
    expect(sinks.filter((sink) => parseClosingReason(sink) !== 'revoked')).toEqual([]);
  });
});

describe('checkAll', () => {
  test('returns true if every look-up got an answer, and false if the store was unavailable', async () => {
    const { checks, state } = setUp();
    expect(await checks.checkAll()).toBe(true);
    openStreams('a', 'b');
    expect(await checks.checkAll()).toBe(true);
    state.answers.set('b', unavailable);
    expect(await checks.checkAll()).toBe(false);
  });

  test('makes a check in progress outdated, which then returns false and changes nothing', async () => {
    const { checks, state } = setUp(() => 0);
    const [sink] = openStreams('a') as [FakeSink];
    const { promise, resolve } = Promise.withResolvers<void>();
    state.answerDelay = promise;
    const earlierCheck = checks.check(fake.hub.entitlements());
    state.answerDelay = Promise.resolve();
    state.answers.set('a', { status: 'revoked' });
    expect(await checks.checkAll()).toBe(true);
    expect(parseClosingReason(sink)).toBe('revoked');
    resolve();
    expect(await earlierCheck).toBe(false);
  });
});
