import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFakeSink, parseClosingReason, parseEventSeqs } from '../streams/fan-out/testing/fake-sink.ts';
import { makeSilentControlLog, openTestRevocations, type TestRevocations } from './testing/test-revocations.ts';

let fixture: TestRevocations;
beforeEach(async () => {
  fixture = await openTestRevocations();
});
afterEach(() => fixture.close());

describe('an announced revocation', () => {
  test('ends the streams of the subscription and no others, and makes its token unknown', async () => {
    const pod = await fixture.startAndFollow();
    const [revoked, kept] = [await fixture.aSubscription(), await fixture.aSubscription()];
    const sinks = [
      await fixture.openStream(pod, revoked.token.digest),
      await fixture.openStream(pod, revoked.token.digest),
    ];
    const other = await fixture.openStream(pod, kept.token.digest);
    await fixture.backend.subscriptions.remove(revoked.id);
    await fixture.announce({ kind: 'subscription', id: revoked.id, change: 'revoked' });
    await other.until(() => sinks.every((sink) => sink.isEnded));
    expect(sinks.map(parseClosingReason)).toEqual(['revoked', 'revoked']);
    expect(await pod.caches.streams.resolve(revoked.token.digest)).toBeNull();
    fixture.fake.append(1);
    await other.until(() => parseEventSeqs(other).length === 1);
    expect(sinks.map(parseEventSeqs)).toEqual([[], []]);
  });

  test.each(['integration', 'provision-token'] as const)(
    'evicts the cached token of a revoked %s at once',
    async (kind) => {
      const pod = await fixture.startAndFollow();
      const grant = { ...(await fixture.aSubscription()), id: crypto.randomUUID() };
      await fixture.backend.integrations.insert({
        ...grant,
        deduplicateByContent: true,
        rate: null,
        source: null,
        samplesKeptUntil: null,
      });
      await fixture.backend.provisionTokens.insert({ ...grant, permissions: ['widgets:create'] });
      const [store, cache] =
        kind === 'integration'
          ? [fixture.backend.integrations, pod.caches.hooks]
          : [fixture.backend.provisionTokens, pod.caches.provisionTokens];
      await cache.resolve(grant.token.digest);
      const generationBefore = pod.generation();
      await store.remove(grant.id);
      await fixture.announce({ kind, id: grant.id, change: 'revoked' });
      await openFakeSink().until(() => pod.generation() > generationBefore);
      expect(cache.recall(grant.token.digest)).toBeUndefined();
      expect(await cache.resolve(grant.token.digest)).toBeNull();
    },
  );

  test('of a session ends its personal streams, and of a user those of all sessions', async () => {
    const pod = await fixture.startAndFollow();
    const [first, second, third] = [
      await fixture.aPersonalStream(pod),
      await fixture.aPersonalStream(pod),
      await fixture.aPersonalStream(pod),
    ];
    await fixture.announce({ kind: 'session', id: first.digest, change: 'revoked' });
    await fixture.announce({ kind: 'user', id: second.userId, change: 'revoked' });
    await first.sink.until(() => first.sink.isEnded && second.sink.isEnded);
    expect([first, second, third].map(({ sink }) => parseClosingReason(sink))).toEqual(['revoked', 'revoked', null]);
  });
});

describe('an announced change', () => {
  test('of a filter applies to open streams', async () => {
    const pod = await fixture.startAndFollow();
    const { id, token } = await fixture.aSubscription();
    const sink = await fixture.openStream(pod, token.digest);
    const filter: EventFilter = { ...noFilter, types: ['widget.retired'] };
    await fixture.backend.subscriptions.change(id, () => ({ filter }));
    await fixture.announce({ kind: 'subscription', id, change: 'changed' });
    await sink.until(() =>
      [...fixture.fake.hub.entitlements()].every((entitlement) => entitlement.filter.types !== null),
    );
    fixture.fake.append(1, { type: 'widget.updated' });
    fixture.fake.append(1, { type: 'widget.retired' });
    await sink.until(() => parseEventSeqs(sink).length > 0);
    expect(parseEventSeqs(sink)).toEqual([2]);
  });

  test('of the token ends streams on the old token at once, or after its overlap', async () => {
    const pod = await fixture.startAndFollow();
    const [atOnce, later] = [await fixture.aSubscription(), await fixture.aSubscription()];
    const [sinkAtOnce, sinkLater] = [
      await fixture.openStream(pod, atOnce.token.digest),
      await fixture.openStream(pod, later.token.digest),
    ];
    const expiresAt = new Date(Date.now() + 1_500);
    for (const [{ id, token }, previousToken] of [
      [atOnce, null],
      [later, { ...later.token, expiresAt }],
    ] as const) {
      const replacement = { digest: `new ${token.digest}`, sealedSecret: null };
      const tokenIssuedAt = new Date();
      await fixture.backend.subscriptions.change(id, () => ({ token: replacement, tokenIssuedAt, previousToken }));
      await fixture.announce({ kind: 'subscription', id, change: 'changed' });
    }
    const sinkNew = await fixture.openStream(pod, `new ${later.token.digest}`);
    await sinkAtOnce.until(() => sinkAtOnce.isEnded);
    expect(parseClosingReason(sinkAtOnce)).toBe('expired');
    expect(sinkLater.isEnded).toBe(false);
    await sinkLater.until(() => sinkLater.isEnded);
    expect(parseClosingReason(sinkLater)).toBe('expired');
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
    expect(await pod.caches.streams.resolve(later.token.digest)).toBeNull();
    expect(sinkNew.isEnded).toBe(false);
  });

  test('of a user who is now disabled ends the personal streams of the user', async () => {
    const pod = await fixture.startAndFollow();
    const { userId, sink } = await fixture.aPersonalStream(pod);
    await fixture.backend.users.change(userId, () => ({ disabled: true }));
    await fixture.announce({ kind: 'user', id: userId, change: 'changed' });
    await sink.until(() => sink.isEnded);
    expect(parseClosingReason(sink)).toBe('revoked');
  });
});

describe('a missed announcement', () => {
  /** A control log that is unavailable until the test clears `isUnavailable`. The tests below announce nothing. */
  function makeUnavailableLog() {
    const log = {
      isUnavailable: true,
      openTail: (): ControlTail => {
        const tail = fixture.backend.control.openTail();
        const next = () =>
          log.isUnavailable ? Promise.reject(new UnavailableError('the log is unavailable')) : tail.next();
        return { next, close: () => tail.close() };
      },
    };
    return log;
  }

  test('is detected by a re-check of every stream', async () => {
    const firstPod = await fixture.start(makeSilentControlLog());
    const [revoked, kept] = [await fixture.aSubscription(), await fixture.aSubscription()];
    const [sink, other] = [
      await fixture.openStream(firstPod, revoked.token.digest),
      await fixture.openStream(firstPod, kept.token.digest),
    ];
    await fixture.backend.subscriptions.remove(revoked.id);
    await fixture.stop();
    await fixture.start();
    await sink.until(() => sink.isEnded);
    expect(parseClosingReason(sink)).toBe('revoked');
    expect(other.isEnded).toBe(false);
  });

  test('leaves no cached token: the token stays invalid when the store is unavailable later', async () => {
    const log = makeUnavailableLog();
    const pod = await fixture.start(log);
    const revoked = await fixture.aSubscription();
    const sink = await fixture.openStream(pod, revoked.token.digest);
    await fixture.backend.subscriptions.remove(revoked.id);
    log.isUnavailable = false;
    await sink.until(() => sink.isEnded);
    fixture.backend.subscriptions.find = () => Promise.reject(new UnavailableError('the store is unavailable'));
    await expect(pod.caches.streams.resolve(revoked.token.digest)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is detected soon for a stream that was opened while the store was unavailable', async () => {
    const log = makeUnavailableLog();
    const pod = await fixture.start(log);
    const revoked = await fixture.aSubscription();
    await pod.caches.streams.resolve(revoked.token.digest);
    await fixture.backend.subscriptions.remove(revoked.id);
    const find = fixture.backend.subscriptions.find.bind(fixture.backend.subscriptions);
    fixture.backend.subscriptions.find = () => Promise.reject(new UnavailableError('the store is unavailable'));
    log.isUnavailable = false;
    await openFakeSink().until(() => pod.generation() > 0);
    const sink = await fixture.openStream(pod, revoked.token.digest);
    fixture.backend.subscriptions.find = find;
    await sink.until(() => sink.isEnded);
    expect(parseClosingReason(sink)).toBe('revoked');
  });

  test('is detected when the control log is available again, and the pod stays ready in the meantime', async () => {
    const log = makeUnavailableLog();
    const pod = await fixture.start(log);
    const revoked = await fixture.aSubscription();
    const sink = await fixture.openStream(pod, revoked.token.digest);
    await fixture.backend.subscriptions.remove(revoked.id);
    expect(pod.tasks.map((task) => task.unreadyReason())).toEqual([null, null]);
    // What `/readyz` names with a reason.
    expect(pod.tasks.map(({ name, stores }) => [name, ...stores])).toEqual([
      ['control', 'events'],
      ['entitlements', 'documents'],
    ]);
    expect(sink.isEnded).toBe(false);
    log.isUnavailable = false;
    await sink.until(() => sink.isEnded);
    expect(parseClosingReason(sink)).toBe('revoked');
  });
});

test('the generation changes when a token is revoked, so that a joining stream is verified again', async () => {
  const pod = await fixture.startAndFollow();
  const { id, token } = await fixture.aSubscription();
  const generationBefore = pod.generation();
  expect(await pod.caches.streams.resolve(token.digest)).not.toBeNull();
  expect(pod.generation()).toBe(generationBefore);
  await fixture.backend.subscriptions.remove(id);
  await fixture.announce({ kind: 'subscription', id, change: 'revoked' });
  await openFakeSink().until(() => pod.generation() !== generationBefore);
  expect(await pod.caches.streams.resolve(token.digest)).toBeNull();
});

test('a read of the control log that does not return is a problem after 30 s', async () => {
  let nowMs = 0;
  const pod = await fixture.start(makeSilentControlLog(), { ...systemClock, monotonicMs: () => nowMs });
  await new Promise(setImmediate);
  nowMs = 29_000;
  expect(pod.tasks[0]?.unreadyReason()).toBeNull();
  nowMs = 31_000;
  expect(pod.tasks[0]?.unreadyReason()).toContain('control log');
});
