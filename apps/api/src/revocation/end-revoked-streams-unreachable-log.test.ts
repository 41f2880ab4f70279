import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anEntitlement } from '../streams/fan-out/testing/fake-hub.ts';
import { openFakeSink, parseClosingReason } from '../streams/fan-out/testing/fake-sink.ts';
import type { ControlReadResult } from './control-log-follower.ts';
import { Revocations } from './end-revoked-streams.ts';
import { RevocationFreshness } from './revocation-freshness.ts';
import type { EntitlementVerdict } from './stream-entitlement.ts';
import { openTestRevocations, type TestRevocations } from './testing/test-revocations.ts';

let fixture: TestRevocations;
beforeEach(async () => {
  fixture = await openTestRevocations();
});
afterEach(() => fixture.close());

describe('while the control log is unavailable', () => {
  const unavailableLog: Pick<ControlLog, 'openTail'> = {
    openTail: () => ({ next: () => Promise.reject(new UnavailableError('unavailable')), close: async () => undefined }),
  };

  test('the pod resolves no token from its cache, because the token may have been revoked', async () => {
    const pod = await fixture.start(unavailableLog);
    const { id, token } = await fixture.aSubscription();
    expect(await pod.caches.streams.resolve(token.digest)).not.toBeNull();
    await fixture.backend.subscriptions.remove(id);
    await openFakeSink().until(() => pod.caches.streams.recall(token.digest) === undefined);
    expect(await pod.caches.streams.resolve(token.digest)).toBeNull();
  });

  test('waitUntilFresh re-checks the open streams in the stores', async () => {
    const pod = await fixture.start(unavailableLog);
    const subscriptions = [await fixture.aSubscription(), await fixture.aSubscription()];
    const sinks = await Promise.all(subscriptions.map(({ token }) => fixture.openStream(pod, token.digest)));
    await fixture.backend.subscriptions.remove(subscriptions[0]?.id ?? '');
    await pod.waitUntilFresh();
    expect(sinks.map(parseClosingReason)).toEqual(['revoked', null]);
  });
});

describe('waitUntilFresh', () => {
  /**
   * A pod with one open stream. The test answers each read of the control log (`reads`) and each look-up (`lookUps`).
   */
  async function openPod(clock: Partial<Clock> = {}) {
    const emptyCache = { evict: () => undefined, suspectAll: () => undefined };
    const streams = { ...emptyCache, isTrusted: () => true, forget: () => undefined };
    const caches = { streams, hooks: emptyCache, provisionTokens: emptyCache, sessions: emptyCache };
    const logger = await createLogger({ level: 'silent' });
    const sink = openFakeSink();
    const entitlement = anEntitlement();
    fixture.fake.join(sink, 0, entitlement);
    const reads: PromiseWithResolvers<ControlReadResult>[] = [];
    const lookUps: PromiseWithResolvers<EntitlementVerdict>[] = [];
    const addCall = <T>(calls: PromiseWithResolvers<T>[]) => {
      const call = Promise.withResolvers<T>();
      calls.push(call);
      return call.promise;
    };
    const testClock = { ...systemClock, sleep: () => new Promise<void>(() => undefined), ...clock };
    const pod = new Revocations({
      control: { openTail: () => ({ next: () => addCall(reads), close: async () => undefined }) },
      streams: fixture.fake.hub,
      caches,
      freshness: new RevocationFreshness(testClock),
      lookUp: () => addCall(lookUps),
      clock: testClock,
      logger,
    });
    const stop = new AbortController();
    const [follower] = pod.tasks;
    void follower?.run(stop.signal);
    const waitUntilFresh = () => pod.waitUntilFresh();
    return { waitUntilFresh, generation: () => pod.generation(), sink, entitlement, reads, lookUps };
  }

  const until = (condition: () => boolean) => openFakeSink().until(condition);
  const emptyResult: ControlReadResult = { entries: [], mayHaveMissed: false };
  const missedResult: ControlReadResult = { entries: [], mayHaveMissed: true };

  test('resolves within 3 s when a store hangs', async () => {
    const sleep = async (ms: number) => expect(ms).toBeLessThanOrEqual(3_000);
    const { waitUntilFresh } = await openPod({ sleep });
    await waitUntilFresh();
  });

  test('re-checks again when the control log becomes available during the re-check', async () => {
    // The follower knows that the log is unavailable: the pod re-checks at once, and the follower retries after 500 ms.
    const sleep = (ms: number) => (ms === 500 ? Promise.resolve() : new Promise<void>(() => undefined));
    const { sink, waitUntilFresh, generation, reads, lookUps } = await openPod({ sleep });
    reads[0]?.reject(new UnavailableError('unavailable'));
    await until(() => reads.length === 2);
    let isFresh = false;
    const waiting = waitUntilFresh().then(() => {
      isFresh = true;
    });
    await until(() => lookUps.length === 1);
    reads[1]?.resolve(missedResult);
    await until(() => generation() > 0);
    lookUps[0]?.resolve({ status: 'revoked' });
    await until(() => lookUps.length === 2);
    expect(sink.isEnded).toBe(false);
    for (const lookUp of lookUps) lookUp.resolve({ status: 'revoked' });
    await sink.until(() => sink.isEnded);
    expect(parseClosingReason(sink)).toBe('revoked');
    await waiting;
    expect(isFresh).toBe(true);
  });

  test('starts no second re-check while one of all streams is pending', async () => {
    const sleep = (ms: number) => (ms < 1_000 ? Promise.resolve() : new Promise<void>(() => undefined));
    const { waitUntilFresh, reads, lookUps, entitlement } = await openPod({ sleep });
    reads[0]?.resolve(missedResult);
    await until(() => lookUps.length === 1);
    const waiting = waitUntilFresh();
    await new Promise(setImmediate);
    lookUps[0]?.resolve({ status: 'ok', entitlement });
    await waiting;
    expect(lookUps).toHaveLength(1);
  });

  test('waits up to 3 s when the stores are unavailable too', async () => {
    const timeout = Promise.withResolvers<void>();
    const { waitUntilFresh, lookUps } = await openPod({
      sleep: (ms) => (ms === 3_000 ? timeout.promise : Promise.resolve()),
    });
    let isFresh = false;
    const waiting = waitUntilFresh().then(() => {
      isFresh = true;
    });
    await until(() => lookUps.length === 1);
    lookUps[0]?.reject(new UnavailableError('unavailable'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isFresh).toBe(false);
    timeout.resolve();
    await waiting;
  });

  test('reads no store while the control log answers', async () => {
    const time = { nowMs: 0 };
    const { waitUntilFresh, reads, lookUps, entitlement } = await openPod({ monotonicMs: () => time.nowMs });
    reads[0]?.resolve(missedResult);
    await until(() => lookUps.length === 1);
    lookUps[0]?.resolve({ status: 'ok', entitlement });
    await waitUntilFresh();
    for (; time.nowMs < 10_000; time.nowMs += 500) {
      await waitUntilFresh();
      const read = reads.at(-1);
      read?.resolve(emptyResult);
      await until(() => reads.at(-1) !== read);
    }
    expect(lookUps).toHaveLength(1);
  });

  test('does not count a read of the control log after a possible miss until the re-check is done', async () => {
    const { waitUntilFresh, reads, lookUps, entitlement } = await openPod();
    let isFresh = false;
    const waiting = waitUntilFresh().then(() => {
      isFresh = true;
    });
    reads[0]?.resolve(missedResult);
    await until(() => reads.length === 2);
    reads[1]?.resolve(emptyResult);
    await until(() => reads.length === 3);
    expect(isFresh).toBe(false);
    lookUps[0]?.resolve({ status: 'ok', entitlement });
    await waiting;
  });

  test('waits in a process that was frozen for the next read of the control log', async () => {
    const time = { nowMs: 0 };
    const { sink, waitUntilFresh, reads, lookUps, entitlement } = await openPod({ monotonicMs: () => time.nowMs });
    reads[0]?.resolve(missedResult);
    await until(() => lookUps.length === 1);
    lookUps[0]?.resolve({ status: 'ok', entitlement });
    await waitUntilFresh();
    await until(() => reads.length === 2);
    time.nowMs = 5_000;
    const waiting = waitUntilFresh();
    // The log answered before the freeze; the process reads the answer after it.
    reads[1]?.resolve(emptyResult);
    await until(() => reads.length === 3);
    expect(sink.isEnded).toBe(false);
    const { kind, id } = entitlement.holder;
    reads[2]?.resolve({ entries: [{ kind, id, change: 'revoked' }], mayHaveMissed: false });
    await waiting;
    expect(parseClosingReason(sink)).toBe('revoked');
  });

  test('resolves after a re-check when the control log does not answer', async () => {
    const time = { nowMs: 0 };
    const sleep = (ms: number) => (ms < 1_000 ? Promise.resolve() : new Promise<void>(() => undefined));
    const { sink, waitUntilFresh, lookUps } = await openPod({ monotonicMs: () => time.nowMs, sleep });
    const waiting = waitUntilFresh();
    await until(() => lookUps.length === 1);
    lookUps[0]?.resolve({ status: 'revoked' });
    await waiting;
    expect(parseClosingReason(sink)).toBe('revoked');
  });
});
