import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@widget-service/embedded/open-embedded.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeHub, openFakeHub } from './fake-hub.ts';
import { closingReasonIn, eventsIn, type FakeSink, openFakeSink } from './fake-sink.ts';
import { openControl, type PodControl } from './open-control.ts';

const dayMs = 86_400_000;

let dataDir: string;
let backend: Backend;
let fake: FakeHub;
let stop: () => Promise<void>;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'widget-service-test-'));
  const retention = { count: 1_000, ageMs: dayMs, bytes: 1_000_000 };
  backend = await openEmbedded({ dataDir, retention, deliveryRetentionMs: dayMs });
  fake = openFakeHub({ ringFrames: 100 });
  stop = async () => undefined;
});
afterEach(async () => {
  await stop();
  fake.hub.close();
  await backend.close();
  await rm(dataDir, { recursive: true });
});

/** Starts the pod's tasks over the real stores and hub, and waits until they stand in the control log. */
async function start(control: Pick<ControlLog, 'openTail'> = backend.control, clock: Clock = systemClock) {
  const pod = openControl({
    backend: { ...backend, control: { ...backend.control, openTail: () => control.openTail() } as ControlLog },
    hub: fake.hub,
    sessionIdleMs: dayMs,
    clock,
    logger: await createLogger({ level: 'silent' }),
  });
  const supervisor = new Supervisor(pod.tasks, {
    clock: systemClock,
    onFailure: (task, error) => {
      throw new Error(`${task} failed`, { cause: error });
    },
  });
  supervisor.start();
  stop = () => supervisor.stop();
  return pod;
}

async function startAndStand(): Promise<PodControl> {
  const pod = await start();
  await openFakeSink().until(() => pod.generation() > 0);
  return pod;
}

async function aSubscription(overrides: Partial<Subscription> = {}): Promise<Subscription> {
  const id = crypto.randomUUID();
  const subscription: Subscription = {
    id,
    name: 'screen',
    filter: noFilter,
    token: { digest: `token of ${id}`, sealedSecret: null },
    previousToken: null,
    expiresAt: null,
    createdAt: new Date(),
    lastUsedAt: null,
    ...overrides,
  };
  await backend.subscriptions.insert(subscription);
  return subscription;
}

/** Opens a stream as the route does: by what the pod's cache says of the token. */
async function openStream(pod: PodControl, tokenDigest: string): Promise<FakeSink> {
  const right = await pod.caches.streams.resolve(tokenDigest);
  if (right === null) throw new Error('the token is not good');
  const sink = openFakeSink();
  fake.join(sink, 0, right);
  return sink;
}

async function aPersonalStream(pod: PodControl) {
  const userId = crypto.randomUUID();
  const email = `${userId}@example.com`;
  const digest = `session of ${userId}`;
  const tokenDigest = `token of ${userId}`;
  const at = { createdAt: new Date(), lastSeenAt: new Date(), expiresAt: new Date(Date.now() + dayMs) };
  const account = { passwordHash: 'none', createdAt: new Date(), lastSignInAt: null };
  await backend.users.insert({ id: userId, email, role: 'viewer', disabled: false, ...account });
  await backend.sessions.insert({ digest, userId, ...at });
  await backend.personalStreams.insert({ tokenDigest, userId, sessionDigest: digest, expiresAt: at.expiresAt });
  return { userId, digest, sink: await openStream(pod, tokenDigest) };
}

const announce = (entry: ControlEntry) => backend.control.announce(entry);

describe('an announced revocation', () => {
  it('ends the streams of the subscription, nobody else’s, and its token is unknown', async () => {
    const pod = await startAndStand();
    const [gone, kept] = [await aSubscription(), await aSubscription()];
    const sinks = [await openStream(pod, gone.token.digest), await openStream(pod, gone.token.digest)];
    const other = await openStream(pod, kept.token.digest);
    await backend.subscriptions.remove(gone.id);
    await announce({ kind: 'subscription', id: gone.id, change: 'revoked' });
    await other.until(() => sinks.every((sink) => sink.isEnded));
    expect(sinks.map(closingReasonIn)).toEqual(['revoked', 'revoked']);
    expect(await pod.caches.streams.resolve(gone.token.digest)).toBeNull();
    fake.append(1);
    await other.until(() => eventsIn(other).length === 1);
    expect(sinks.map(eventsIn)).toEqual([[], []]);
  });

  it.each(['integration', 'provision-token'] as const)(
    'makes the pod forget the token of its %s at once',
    async (kind) => {
      const pod = await startAndStand();
      const grant = { ...(await aSubscription()), id: crypto.randomUUID() };
      await backend.integrations.insert({ ...grant, deduplicateByContent: true, rate: null });
      await backend.provisionTokens.insert({ ...grant, permissions: ['widgets:create'] });
      const [store, cache] =
        kind === 'integration'
          ? [backend.integrations, pod.caches.hooks]
          : [backend.provisionTokens, pod.caches.provisionTokens];
      await cache.resolve(grant.token.digest);
      const before = pod.generation();
      await store.remove(grant.id);
      await announce({ kind, id: grant.id, change: 'revoked' });
      await openFakeSink().until(() => pod.generation() > before);
      expect(cache.recall(grant.token.digest)).toBeUndefined();
      expect(await cache.resolve(grant.token.digest)).toBeNull();
    },
  );

  it('of a session ends its personal streams; of a user, those of all sessions', async () => {
    const pod = await startAndStand();
    const [one, two, three] = [await aPersonalStream(pod), await aPersonalStream(pod), await aPersonalStream(pod)];
    await announce({ kind: 'session', id: one.digest, change: 'revoked' });
    await announce({ kind: 'user', id: two.userId, change: 'revoked' });
    await one.sink.until(() => one.sink.isEnded && two.sink.isEnded);
    expect([one, two, three].map(({ sink }) => closingReasonIn(sink))).toEqual(['revoked', 'revoked', null]);
  });
});

describe('an announced change', () => {
  it('of a filter holds for open streams', async () => {
    const pod = await startAndStand();
    const { id, token } = await aSubscription();
    const sink = await openStream(pod, token.digest);
    const filter: EventFilter = { ...noFilter, types: ['widget.retired'] };
    await backend.subscriptions.update(id, { filter });
    await announce({ kind: 'subscription', id, change: 'changed' });
    await sink.until(() => [...fake.hub.rights()].every((right) => right.filter.types !== null));
    fake.append(1, { type: 'widget.updated' });
    fake.append(1, { type: 'widget.retired' });
    await sink.until(() => eventsIn(sink).length > 0);
    expect(eventsIn(sink)).toEqual([2]);
  });

  it('of the token ends streams on the old one: at once, or when its overlap is over', async () => {
    const pod = await startAndStand();
    const [atOnce, later] = [await aSubscription(), await aSubscription()];
    const [sinkAtOnce, sinkLater] = [
      await openStream(pod, atOnce.token.digest),
      await openStream(pod, later.token.digest),
    ];
    const expiresAt = new Date(Date.now() + 1_500);
    for (const [{ id, token }, previousToken] of [
      [atOnce, null],
      [later, { ...later.token, expiresAt }],
    ] as const) {
      const replacement = { digest: `new ${token.digest}`, sealedSecret: null };
      await backend.subscriptions.replaceTokens(id, {
        replacedDigest: token.digest,
        token: replacement,
        previousToken,
      });
      await announce({ kind: 'subscription', id, change: 'changed' });
    }
    const sinkNew = await openStream(pod, `new ${later.token.digest}`);
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
    const pod = await startAndStand();
    const { userId, sink } = await aPersonalStream(pod);
    await backend.users.update(userId, { disabled: true });
    await announce({ kind: 'user', id: userId, change: 'changed' });
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
  });
});

describe('what was missed', () => {
  it('is found by looking everything up again', async () => {
    const before = await start(neverHeard());
    const [gone, kept] = [await aSubscription(), await aSubscription()];
    const [sink, other] = [await openStream(before, gone.token.digest), await openStream(before, kept.token.digest)];
    await backend.subscriptions.remove(gone.id);
    await stop();
    await start();
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
    expect(other.isEnded).toBe(false);
  });

  it('while the log is away is found when it is back, and the pod is ready all the time', async () => {
    let isAway = true;
    const failing: Pick<ControlLog, 'openTail'> = {
      openTail: () => {
        const tail = backend.control.openTail();
        const next = () => (isAway ? Promise.reject(new UnavailableError('the log is away')) : tail.next());
        return { next, close: () => tail.close() };
      },
    };
    const pod = await start(failing);
    const gone = await aSubscription();
    const sink = await openStream(pod, gone.token.digest);
    await backend.subscriptions.remove(gone.id);
    expect(pod.tasks.map((task) => task.problem())).toEqual([null, null]);
    expect(sink.isEnded).toBe(false);
    isAway = false;
    await sink.until(() => sink.isEnded);
    expect(closingReasonIn(sink)).toBe('revoked');
  });
});

it('a stream that was verified before a revocation and joins after it can tell by the generation', async () => {
  const pod = await startAndStand();
  const { id, token } = await aSubscription();
  const before = pod.generation();
  expect(await pod.caches.streams.resolve(token.digest)).not.toBeNull();
  expect(pod.generation()).toBe(before);
  await backend.subscriptions.remove(id);
  await announce({ kind: 'subscription', id, change: 'revoked' });
  await openFakeSink().until(() => pod.generation() !== before);
  expect(await pod.caches.streams.resolve(token.digest)).toBeNull();
});

it('a reader that never returns is a problem after half a minute', async () => {
  let nowMs = 0;
  const pod = await start(neverHeard(), { ...systemClock, monotonicMs: () => nowMs });
  await new Promise(setImmediate);
  nowMs = 29_000;
  expect(pod.tasks[0]?.problem()).toBeNull();
  nowMs = 31_000;
  expect(pod.tasks[0]?.problem()).toContain('control log');
});

/** A log that neither tells anything nor fails, until its tail is closed. */
function neverHeard(): Pick<ControlLog, 'openTail'> {
  return {
    openTail: () => {
      const { promise, reject } = Promise.withResolvers<never>();
      return { next: () => promise, close: async () => reject(new UnavailableError('closed')) };
    },
  };
}
