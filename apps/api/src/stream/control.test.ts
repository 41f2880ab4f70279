import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closingReasonIn, eventsIn, openFakeSink } from './testing/fake-sink.ts';
import { neverHeard, openTestRevocations, type TestRevocations } from './testing/test-revocations.ts';

let control: TestRevocations;
beforeEach(async () => {
  control = await openTestRevocations();
});
afterEach(() => control.close());

describe('an announced revocation', () => {
  it('ends the streams of the subscription, nobody else’s, and its token is unknown', async () => {
    const pod = await control.startAndStand();
    const [gone, kept] = [await control.aSubscription(), await control.aSubscription()];
    const sinks = [await control.openStream(pod, gone.token.digest), await control.openStream(pod, gone.token.digest)];
    const other = await control.openStream(pod, kept.token.digest);
    await control.backend.subscriptions.remove(gone.id);
    await control.announce({ kind: 'subscription', id: gone.id, change: 'revoked' });
    await other.until(() => sinks.every((sink) => sink.isEnded));
    expect(sinks.map(closingReasonIn)).toEqual(['revoked', 'revoked']);
    expect(await pod.caches.streams.resolve(gone.token.digest)).toBeNull();
    control.fake.append(1);
    await other.until(() => eventsIn(other).length === 1);
    expect(sinks.map(eventsIn)).toEqual([[], []]);
  });

  it.each(['integration', 'provision-token'] as const)(
    'makes the pod forget the token of its %s at once',
    async (kind) => {
      const pod = await control.startAndStand();
      const grant = { ...(await control.aSubscription()), id: crypto.randomUUID() };
      await control.backend.integrations.insert({ ...grant, deduplicateByContent: true, rate: null });
      await control.backend.provisionTokens.insert({ ...grant, permissions: ['widgets:create'] });
      const [store, cache] =
        kind === 'integration'
          ? [control.backend.integrations, pod.caches.hooks]
          : [control.backend.provisionTokens, pod.caches.provisionTokens];
      await cache.resolve(grant.token.digest);
      const before = pod.generation();
      await store.remove(grant.id);
      await control.announce({ kind, id: grant.id, change: 'revoked' });
      await openFakeSink().until(() => pod.generation() > before);
      expect(cache.recall(grant.token.digest)).toBeUndefined();
      expect(await cache.resolve(grant.token.digest)).toBeNull();
    },
  );

  it('of a session ends its personal streams; of a user, those of all sessions', async () => {
    const pod = await control.startAndStand();
    const [one, two, three] = [
      await control.aPersonalStream(pod),
      await control.aPersonalStream(pod),
      await control.aPersonalStream(pod),
    ];
    await control.announce({ kind: 'session', id: one.digest, change: 'revoked' });
    await control.announce({ kind: 'user', id: two.userId, change: 'revoked' });
    await one.sink.until(() => one.sink.isEnded && two.sink.isEnded);
    expect([one, two, three].map(({ sink }) => closingReasonIn(sink))).toEqual(['revoked', 'revoked', null]);
  });
});

describe('an announced change', () => {
  it('of a filter holds for open streams', async () => {
    const pod = await control.startAndStand();
    const { id, token } = await control.aSubscription();
    const sink = await control.openStream(pod, token.digest);
    const filter: EventFilter = { ...noFilter, types: ['widget.retired'] };
    await control.backend.subscriptions.update(id, { filter });
    await control.announce({ kind: 'subscription', id, change: 'changed' });
    await sink.until(() => [...control.fake.hub.entitlements()].every((right) => right.filter.types !== null));
    control.fake.append(1, { type: 'widget.updated' });
    control.fake.append(1, { type: 'widget.retired' });
    await sink.until(() => eventsIn(sink).length > 0);
    expect(eventsIn(sink)).toEqual([2]);
  });

  it('of the token ends streams on the old one: at once, or when its overlap is over', async () => {
    const pod = await control.startAndStand();
    const [atOnce, later] = [await control.aSubscription(), await control.aSubscription()];
    const [sinkAtOnce, sinkLater] = [
      await control.openStream(pod, atOnce.token.digest),
      await control.openStream(pod, later.token.digest),
    ];
    const expiresAt = new Date(Date.now() + 1_500);
    for (const [{ id, token }, previousToken] of [
      [atOnce, null],
      [later, { ...later.token, expiresAt }],
    ] as const) {
      const replacement = { digest: `new ${token.digest}`, sealedSecret: null };
      await control.backend.subscriptions.replaceTokens(id, {
        replacedDigest: token.digest,
        token: replacement,
        previousToken,
      });
      await control.announce({ kind: 'subscription', id, change: 'changed' });
    }
    const sinkNew = await control.openStream(pod, `new ${later.token.digest}`);
    await sinkAtOnce.until(() => sinkAtOnce.isEnded);
    expect(closingReasonIn(sinkAtOnce)).toBe('expired');
    expect(sinkLater.isEnded).toBe(false);
    await sinkLater.until(() => sinkLater.isEnded);
    expect(closingReasonIn(sinkLater)).toBe('expired');
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
    expect(await pod.caches.streams.resolve(later.token.digest)).toBeNull();
    expect(sinkNew.isEnded).toBe(false);
  });

  it('of a user who is disabled now ends their personal streams', async () => {
    const pod = await control.startAndStand();
    const { userId, sink } = await control.aPersonalStream(pod);
    await control.backend.users.update(userId, { disabled: true });
    await control.announce({ kind: 'user', id: userId, change: 'changed' });
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
  });
});

describe('what was missed', () => {
  /** A log that cannot be heard until it is told to be back; what was announced before is not told then. */
  function awayAtFirst() {
    const log = {
      isAway: true,
      openTail: (): ControlTail => {
        const tail = control.backend.control.openTail();
        const next = () => (log.isAway ? Promise.reject(new UnavailableError('the log is away')) : tail.next());
        return { next, close: () => tail.close() };
      },
    };
    return log;
  }

  it('is found by looking everything up again', async () => {
    const before = await control.start(neverHeard());
    const [gone, kept] = [await control.aSubscription(), await control.aSubscription()];
    const [sink, other] = [
      await control.openStream(before, gone.token.digest),
      await control.openStream(before, kept.token.digest),
    ];
    await control.backend.subscriptions.remove(gone.id);
    await control.stop();
    await control.start();
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
    expect(other.isEnded).toBe(false);
  });

  it('stays found: a token that was looked up in vain is not taken from memory when the store hangs later', async () => {
    const log = awayAtFirst();
    const pod = await control.start(log);
    const gone = await control.aSubscription();
    const sink = await control.openStream(pod, gone.token.digest);
    await control.backend.subscriptions.remove(gone.id);
    log.isAway = false;
    await sink.until(() => sink.isEnded);
    control.backend.subscriptions.findByTokenDigest = () => Promise.reject(new UnavailableError('the store is away'));
    await expect(pod.caches.streams.resolve(gone.token.digest)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is found soon also of a stream that was opened while it could not be looked up', async () => {
    const log = awayAtFirst();
    const pod = await control.start(log);
    const gone = await control.aSubscription();
    await pod.caches.streams.resolve(gone.token.digest);
    await control.backend.subscriptions.remove(gone.id);
    const find = control.backend.subscriptions.findByTokenDigest;
    control.backend.subscriptions.findByTokenDigest = () => Promise.reject(new UnavailableError('the store is away'));
    log.isAway = false;
    await openFakeSink().until(() => pod.generation() > 0);
    const sink = await control.openStream(pod, gone.token.digest);
    control.backend.subscriptions.findByTokenDigest = find;
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
  });

  it('while the log is away is found when it is back, and the pod is ready all the time', async () => {
    const log = awayAtFirst();
    const pod = await control.start(log);
    const gone = await control.aSubscription();
    const sink = await control.openStream(pod, gone.token.digest);
    await control.backend.subscriptions.remove(gone.id);
    expect(pod.tasks.map((task) => task.problem())).toEqual([null, null]);
    expect(sink.isEnded).toBe(false);
    log.isAway = false;
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
  });
});

it('a stream that was verified before a revocation and joins after it can tell by the generation', async () => {
  const pod = await control.startAndStand();
  const { id, token } = await control.aSubscription();
  const before = pod.generation();
  expect(await pod.caches.streams.resolve(token.digest)).not.toBeNull();
  expect(pod.generation()).toBe(before);
  await control.backend.subscriptions.remove(id);
  await control.announce({ kind: 'subscription', id, change: 'revoked' });
  await openFakeSink().until(() => pod.generation() !== before);
  expect(await pod.caches.streams.resolve(token.digest)).toBeNull();
});

it('a reader that never returns is a problem after half a minute', async () => {
  let nowMs = 0;
  const pod = await control.start(neverHeard(), { ...systemClock, monotonicMs: () => nowMs });
  await new Promise(setImmediate);
  nowMs = 29_000;
  expect(pod.tasks[0]?.problem()).toBeNull();
  nowMs = 31_000;
  expect(pod.tasks[0]?.problem()).toContain('control log');
});
