import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RevocationFreshness } from '../auth/revocation-freshness.ts';
import type { EntitlementDecision } from '../auth/stream-entitlement.ts';
import { createRevocations } from './revocations.ts';
import { anEntitlement } from './testing/fake-hub.ts';
import { closingReasonIn, openFakeSink } from './testing/fake-sink.ts';
import { openTestRevocations, type TestRevocations } from './testing/test-revocations.ts';

let control: TestRevocations;
beforeEach(async () => {
  control = await openTestRevocations();
});
afterEach(() => control.close());

describe('while the log cannot be heard', () => {
  const deaf: Pick<ControlLog, 'openTail'> = {
    openTail: () => ({ next: () => Promise.reject(new UnavailableError('away')), close: async () => undefined }),
  };

  it('no token is served from memory: it may have been revoked unheard', async () => {
    const pod = await control.start(deaf);
    const { id, token } = await control.aSubscription();
    expect(await pod.caches.streams.resolve(token.digest)).not.toBeNull();
    await control.backend.subscriptions.remove(id);
    await openFakeSink().until(() => pod.caches.streams.recall(token.digest) === undefined);
    expect(await pod.caches.streams.resolve(token.digest)).toBeNull();
  });

  it('the rights of open streams can be confirmed all the same', async () => {
    const pod = await control.start(deaf);
    const subscriptions = [await control.aSubscription(), await control.aSubscription()];
    const sinks = await Promise.all(subscriptions.map(({ token }) => control.openStream(pod, token.digest)));
    await control.backend.subscriptions.remove(subscriptions[0]?.id ?? '');
    await pod.waitUntilFresh();
    expect(sinks.map(closingReasonIn)).toEqual(['revoked', null]);
  });
});

describe('rights that are to be confirmed', () => {
  type Told = Awaited<ReturnType<ControlTail['next']>>;

  /** A pod with one open stream and a control log, both of whose stores say what the test has them say. */
  async function openPod(clock: Partial<Clock> = {}) {
    const forgetful = { evict: () => undefined, suspectAll: () => undefined };
    const streams = { ...forgetful, isTrusted: () => true, forget: () => undefined };
    const caches = { streams, hooks: forgetful, provisionTokens: forgetful };
    const logger = await createLogger({ level: 'silent' });
    const sink = openFakeSink();
    const right = anEntitlement();
    control.fake.join(sink, 0, right);
    const reads: PromiseWithResolvers<Told>[] = [];
    const looks: PromiseWithResolvers<EntitlementDecision>[] = [];
    const asked = <T>(questions: PromiseWithResolvers<T>[]) => {
      questions.push(Promise.withResolvers<T>());
      return (questions.at(-1) as PromiseWithResolvers<T>).promise;
    };
    const timed = { ...systemClock, sleep: () => new Promise<void>(() => undefined), ...clock };
    const pod = createRevocations({
      control: { openTail: () => ({ next: () => asked(reads), close: async () => undefined }) },
      streams: control.fake.hub,
      caches,
      freshness: new RevocationFreshness(timed),
      lookUp: () => asked(looks),
      clock: timed,
      logger,
    });
    const stop = new AbortController();
    const [follow] = pod.tasks;
    void follow?.run(stop.signal);
    return { ...pod, sink, right, reads, looks };
  }

  const until = (condition: () => boolean) => openFakeSink().until(condition);
  const nothing: Told = { entries: [], mayHaveMissed: false };
  const anything: Told = { entries: [], mayHaveMissed: true };

  it('are not waited for without end by a store that hangs', async () => {
    const sleep = async (ms: number) => expect(ms).toBeLessThanOrEqual(3_000);
    const { waitUntilFresh } = await openPod({ sleep });
    await waitUntilFresh();
  });

  it('are looked up once more when the control log is heard again meanwhile', async () => {
    // Deaf, and knowing it: it asks at once, and tries to hear again after half a second.
    const sleep = (ms: number) => (ms === 500 ? Promise.resolve() : new Promise<void>(() => undefined));
    const { sink, waitUntilFresh, generation, reads, looks } = await openPod({ sleep });
    reads[0]?.reject(new UnavailableError('away'));
    await until(() => reads.length === 2);
    let isConfirmed = false;
    const sleepless = waitUntilFresh().then(() => {
      isConfirmed = true;
    });
    await until(() => looks.length === 1);
    reads[1]?.resolve(anything);
    await until(() => generation() > 0);
    looks[0]?.resolve('revoked');
    await until(() => looks.length === 2);
    expect(sink.isEnded).toBe(false);
    for (const look of looks) look.resolve('revoked');
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
    await sleepless;
    expect(isConfirmed).toBe(true);
  });

  it('are not looked up again while all of them are being looked up', async () => {
    const sleep = (ms: number) => (ms < 1_000 ? Promise.resolve() : new Promise<void>(() => undefined));
    const { waitUntilFresh, reads, looks, right } = await openPod({ sleep });
    reads[0]?.resolve(anything);
    await until(() => looks.length === 1);
    const confirmed = waitUntilFresh();
    await new Promise(setImmediate);
    looks[0]?.resolve(right);
    await confirmed;
    expect(looks).toHaveLength(1);
  });

  it('are not known while the stores are away too', async () => {
    const inVain = Promise.withResolvers<void>();
    const { waitUntilFresh, looks } = await openPod({
      sleep: (ms) => (ms === 3_000 ? inVain.promise : Promise.resolve()),
    });
    let isConfirmed = false;
    const confirmed = waitUntilFresh().then(() => {
      isConfirmed = true;
    });
    await until(() => looks.length === 1);
    looks[0]?.reject(new UnavailableError('away'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isConfirmed).toBe(false);
    inVain.resolve();
    await confirmed;
  });

  it('are known while the control log is heard: no store is asked', async () => {
    const time = { nowMs: 0 };
    const { waitUntilFresh, reads, looks, right } = await openPod({ monotonicMs: () => time.nowMs });
    reads[0]?.resolve(anything);
    await until(() => looks.length === 1);
    looks[0]?.resolve(right);
    await waitUntilFresh();
    for (; time.nowMs < 10_000; time.nowMs += 500) {
      await waitUntilFresh();
      const read = reads.at(-1);
      read?.resolve(nothing);
      await until(() => reads.at(-1) !== read);
    }
    expect(looks).toHaveLength(1);
  });

  it('are not known by what the control log says after something was missed, until that was looked up', async () => {
    const { waitUntilFresh, reads, looks, right } = await openPod();
    let isConfirmed = false;
    const confirmed = waitUntilFresh().then(() => {
      isConfirmed = true;
    });
    reads[0]?.resolve(anything);
    await until(() => reads.length === 2);
    reads[1]?.resolve(nothing);
    await until(() => reads.length === 3);
    expect(isConfirmed).toBe(false);
    looks[0]?.resolve(right);
    await confirmed;
  });

  it('wait, in a process that stood still, for what was announced since', async () => {
    const time = { nowMs: 0 };
    const { sink, waitUntilFresh, reads, looks, right } = await openPod({ monotonicMs: () => time.nowMs });
    reads[0]?.resolve(anything);
    await until(() => looks.length === 1);
    looks[0]?.resolve(right);
    await waitUntilFresh();
    await until(() => reads.length === 2);
    time.nowMs = 5_000;
    const confirmed = waitUntilFresh();
    // Answered before it stood still, and read after.
    reads[1]?.resolve(nothing);
    await until(() => reads.length === 3);
    expect(sink.isEnded).toBe(false);
    const { kind, id } = right.holder;
    reads[2]?.resolve({ entries: [{ kind, id, change: 'revoked' }], mayHaveMissed: false });
    await confirmed;
    expect(closingReasonIn(sink)).toBe('revoked');
  });

  it('are looked up by a pod that hears nothing, and that is enough', async () => {
    const time = { nowMs: 0 };
    const sleep = (ms: number) => (ms < 1_000 ? Promise.resolve() : new Promise<void>(() => undefined));
    const { sink, waitUntilFresh, looks } = await openPod({ monotonicMs: () => time.nowMs, sleep });
    const confirmed = waitUntilFresh();
    await until(() => looks.length === 1);
    looks[0]?.resolve('revoked');
    await confirmed;
    expect(closingReasonIn(sink)).toBe('revoked');
  });
});
