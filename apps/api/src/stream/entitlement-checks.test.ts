import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EntitlementDecision, StreamEntitlement } from '../auth/stream-entitlement.ts';
import { EntitlementChecks } from './entitlement-checks.ts';
import { anEntitlement, type FakeHub, openFakeHub } from './testing/fake-hub.ts';
import { closingReasonIn, eventsIn, type FakeSink, openFakeSink } from './testing/fake-sink.ts';

const away = new UnavailableError('the store is away');

let fake: FakeHub;
beforeEach(() => {
  fake = openFakeHub({ ringFrames: 100 });
});
afterEach(() => fake.hub.close());

/** A store whose answers are scripted: what is not in `answers` is as it was; and a clock that is set by hand. */
function setUp(random?: () => number) {
  const state = {
    nowMs: 0,
    asked: [] as string[],
    answers: new Map<string, EntitlementDecision | Error>(),
    failures: [] as unknown[],
    /** Digests whose streams are opened in doubt, and those that were found to be good no more. */
    doubtful: [] as string[],
    forgotten: [] as string[],
    delivery: Promise.resolve(),
  };
  const checks = new EntitlementChecks({
    streams: fake.hub,
    lookUp: async (right) => {
      state.asked.push(right.tokenDigest);
      const { delivery } = state;
      const answer = state.answers.get(right.tokenDigest) ?? right;
      await delivery;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    memory: {
      isTrusted: (digest) => !state.doubtful.includes(digest),
      forget: (digest) => void state.forgotten.push(digest),
    },
    clock: { monotonicMs: () => state.nowMs },
    onFailure: (error) => state.failures.push(error),
    ...(random === undefined ? {} : { random }),
  });
  return { checks, state };
}

function rightOf(tokenDigest: string, filter: Parameters<typeof anEntitlement>[0] = {}): StreamEntitlement {
  return anEntitlement(filter, { tokenDigest, holder: { kind: 'subscription', id: `holder of ${tokenDigest}` } });
}

function openStreams(...digests: string[]): FakeSink[] {
  return digests.map((digest) => {
    const sink = openFakeSink();
    fake.join(sink, 0, rightOf(digest));
    return sink;
  });
}

describe('a check', () => {
  it('ends what has no right any more, and leaves the rest alone', async () => {
    const { checks, state } = setUp();
    const sinks = openStreams('a', 'b', 'c', 'a');
    state.answers.set('a', 'revoked').set('b', 'expired');
    await checks.check(fake.hub.entitlements());
    expect(sinks.map(closingReasonIn)).toEqual(['revoked', 'expired', null, 'revoked']);
    expect(state.forgotten).toEqual(['a', 'b']);
    expect(state.asked.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('gives streams the right as it is now', async () => {
    const { checks, state } = setUp();
    const [sink] = openStreams('a') as [FakeSink];
    state.answers.set('a', rightOf('a', { types: ['widget.retired'] }));
    await checks.check(fake.hub.entitlements());
    fake.append(1, { type: 'widget.updated' });
    fake.append(1, { type: 'widget.retired' });
    await sink.until(() => eventsIn(sink).length > 0);
    expect(eventsIn(sink)).toEqual([2]);
  });

  it('looks no more than twenty up at once', async () => {
    openStreams(...Array.from({ length: 100 }, (_, n) => `${n}`));
    let running = 0;
    let highest = 0;
    const checks = new EntitlementChecks({
      streams: fake.hub,
      lookUp: async (right) => {
        running += 1;
        highest = Math.max(highest, running);
        await new Promise(setImmediate);
        running -= 1;
        return right;
      },
      memory: { isTrusted: () => true, forget: () => undefined },
      clock: { monotonicMs: () => 0 },
      onFailure: () => undefined,
    });
    await checks.check(fake.hub.entitlements());
    expect(highest).toBe(20);
  });

  it('that finds the store away changes nothing, asks no further, and is made good at the next turn', async () => {
    const { checks, state } = setUp(() => 1);
    const digests = Array.from({ length: 100 }, (_, n) => `${n}`);
    const sinks = openStreams(...digests);
    for (const digest of digests) state.answers.set(digest, away);
    await checks.check(fake.hub.entitlements());
    expect(sinks.filter((sink) => sink.isEnded)).toEqual([]);
    expect(state.asked.length).toBeLessThanOrEqual(20);
    for (const digest of digests) state.answers.set(digest, 'revoked');
    await checks.checkDue();
    expect(sinks.map(closingReasonIn)).toEqual(digests.map(() => 'revoked'));
  });

  it('that fails for one right otherwise is told, and goes on with the others', async () => {
    const { checks, state } = setUp();
    const sinks = openStreams('broken', 'gone');
    const broken = new Error('a document that cannot be read');
    state.answers.set('broken', broken).set('gone', 'revoked');
    await checks.check(fake.hub.entitlements());
    expect(state.failures).toEqual([broken]);
    expect(sinks.map(closingReasonIn)).toEqual([null, 'revoked']);
  });

  it('that was overtaken by a later one of the same right has no effect', async () => {
    const { checks, state } = setUp();
    const [sink] = openStreams('a') as [FakeSink];
    const { promise, resolve } = Promise.withResolvers<void>();
    state.delivery = promise;
    state.answers.set('a', rightOf('a', { types: ['widget.updated'] }));
    const slow = checks.check(fake.hub.entitlements());
    state.delivery = Promise.resolve();
    state.answers.set('a', rightOf('a', { types: ['widget.retired'] }));
    await checks.check(fake.hub.entitlements());
    resolve();
    await slow;
    fake.append(1, { type: 'widget.updated' });
    fake.append(1, { type: 'widget.retired' });
    await sink.until(() => eventsIn(sink).length > 0);
    expect(eventsIn(sink)).toEqual([2]);
  });
});

describe('going round', () => {
  it('looks every right up within each minute, spread over it', async () => {
    let n = 0;
    const { checks, state } = setUp(() => (n++ % 100) / 100);
    openStreams(...Array.from({ length: 200 }, (_, digest) => `${digest}`));
    for (let minute = 0; minute < 3; minute += 1) {
      const asked = new Set<string>();
      for (let second = 0; second < 60; second += 1) {
        state.asked = [];
        await checks.checkDue();
        expect(state.asked.length).toBeLessThanOrEqual(10);
        for (const digest of state.asked) asked.add(digest);
        state.nowMs += 1_000;
      }
      expect(asked.size).toBe(200);
    }
  });

  it('asks at once for who was let in while the store could not be asked', async () => {
    const { checks, state } = setUp(() => 1);
    state.doubtful.push('a');
    openStreams('a', 'b');
    await checks.checkDue();
    expect(state.asked).toEqual(['a']);
    await checks.checkDue();
    expect(state.asked).toEqual(['a']);
  });

  it('asks at once also for who came back on a right that was found to be gone', async () => {
    const { checks, state } = setUp(() => 1);
    openStreams('a');
    state.answers.set('a', 'revoked');
    await checks.check(fake.hub.entitlements());
    state.doubtful.push('a');
    const [again] = openStreams('a') as [FakeSink];
    await checks.checkDue();
    expect(closingReasonIn(again)).toBe('revoked');
  });

  it('asks once a turn for a token, however many streams were opened with it', async () => {
    const { checks, state } = setUp(() => 0);
    for (let n = 0; n < 5; n += 1) openStreams('a');
    await checks.checkDue();
    expect(state.asked).toEqual(['a']);
    await checks.checkDue();
    expect(state.asked).toEqual(['a']);
  });

  it('takes up what could not be looked up when all was in doubt', async () => {
    const { checks, state } = setUp();
    const [sink] = openStreams('a') as [FakeSink];
    state.answers.set('a', away);
    expect(await checks.checkAll()).toBe(false);
    state.answers.set('a', 'revoked');
    await checks.checkDue();
    expect(closingReasonIn(sink)).toBe('revoked');
  });
});

describe('a check of all', () => {
  it('says whether all was found out', async () => {
    const { checks, state } = setUp();
    expect(await checks.checkAll()).toBe(true);
    openStreams('a', 'b');
    expect(await checks.checkAll()).toBe(true);
    state.answers.set('b', away);
    expect(await checks.checkAll()).toBe(false);
  });

  it('outdates what is being looked up just then', async () => {
    const { checks, state } = setUp(() => 0);
    const [sink] = openStreams('a') as [FakeSink];
    const { promise, resolve } = Promise.withResolvers<void>();
    state.delivery = promise;
    const running = checks.check(fake.hub.entitlements());
    state.delivery = Promise.resolve();
    state.answers.set('a', 'revoked');
    const all = checks.checkAll();
    expect(await all).toBe(true);
    expect(closingReasonIn(sink)).toBe('revoked');
    resolve();
    expect(await running).toBe(false);
  });
});
