import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFakeSink, parseClosingReason } from '../streams/fan-out/testing/fake-sink.ts';
import { makeSilentControlLog, openTestRevocations, type TestRevocations } from './testing/test-revocations.ts';

let fixture: TestRevocations;
beforeEach(async () => {
  fixture = await openTestRevocations();
});
afterEach(() => fixture.close());

describe('an announced change', () => {
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
