import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@widget-service/embedded/open-embedded.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Subscription } from '@widget-service/shared/entities/grant.ts';
import { buildUser } from '@widget-service/shared/entities/user.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { type FakeHub, openFakeHub } from '../../streams/fan-out/testing/fake-hub.ts';
import { type FakeSink, openFakeSink } from '../../streams/fan-out/testing/fake-sink.ts';
import { openRevocations, type PodRevocations } from '../end-revoked-streams.ts';

const dayMs = 86_400_000;

/** The pod's side of the control log over real embedded stores and a hub with a fake log, for tests. */
export interface TestRevocations {
  readonly backend: Backend;
  readonly fake: FakeHub;
  /** Starts the pod's tasks. By default they follow the backend's control log on the system clock. */
  start(control?: Pick<ControlLog, 'openTail'>, clock?: Clock): Promise<PodRevocations>;
  /** Starts the tasks and waits until the pod has applied its first read of the control log. */
  startAndFollow(): Promise<PodRevocations>;
  stop(): Promise<void>;
  announce(entry: ControlEntry): Promise<void>;
  /** Stores a subscription without a filter. Its token digest is `token of <id>`. */
  aSubscription(): Promise<Subscription>;
  /** Joins a stream as the route does: with the entitlement that the pod's cache returns for the token. */
  openStream(pod: PodRevocations, tokenDigest: string): Promise<FakeSink>;
  /** Stores a user with a session and joins the user's personal stream. `digest` is the digest of the session. */
  aPersonalStream(
    pod: PodRevocations,
  ): Promise<{ readonly userId: string; readonly digest: string; readonly sink: FakeSink }>;
  close(): Promise<void>;
}

/** Opens an embedded backend in a temporary directory. `close` stops the pod and removes the directory. */
export async function openTestRevocations(): Promise<TestRevocations> {
  const dataDir = await mkdtemp(join(tmpdir(), 'widget-service-test-'));
  const backend = await openEmbedded({
    DATA_DIR: dataDir,
    EVENT_RETENTION_BYTES: 1_048_576,
    DELIVERY_RETENTION_MS: dayMs,
  });
  const fake = openFakeHub({ ringFrames: 100 });
  let stop = () => Promise.resolve();

  async function start(control: Pick<ControlLog, 'openTail'> = backend.control, clock: Clock = systemClock) {
    const followed = { ...backend.control, openTail: () => control.openTail() } as ControlLog;
    const logger = await createLogger({ level: 'silent' });
    const pod = openRevocations({ ...backend, control: followed }, fake.hub, clock, logger);
    const supervisor = new Supervisor(pod.tasks, systemClock, (task, error) => {
      throw new Error(`${task} failed`, { cause: error });
    });
    supervisor.start();
    stop = () => supervisor.stop();
    return pod;
  }

  async function openStream(pod: PodRevocations, tokenDigest: string): Promise<FakeSink> {
    const entitlement = await pod.caches.streams.resolve(tokenDigest);
    if (entitlement === null) throw new Error('the token is unknown or no longer valid');
    const sink = openFakeSink();
    fake.join(sink, 0, entitlement);
    return sink;
  }

  return {
    backend,
    fake,
    start,
    startAndFollow: async () => {
      const pod = await start();
      await openFakeSink().until(() => pod.generation() > 0);
      return pod;
    },
    stop: () => stop(),
    announce: (entry) => backend.control.announce(entry),
    aSubscription: () => insertSubscription(backend),
    openStream,
    aPersonalStream: async (pod) => {
      const owner = await insertSession(backend);
      return { ...owner, sink: await openStream(pod, owner.digest) };
    },
    close: async () => {
      await stop();
      fake.hub.close();
      await backend.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function insertSubscription(backend: Backend): Promise<Subscription> {
  const id = crypto.randomUUID();
  const subscription: Subscription = {
    id,
    name: 'screen',
    filter: noFilter,
    token: { digest: `token of ${id}`, sealedSecret: null },
    previousToken: null,
    expiresAt: null,
    tokenIssuedAt: new Date(),
    createdAt: new Date(),
    createdBy: crypto.randomUUID(),
    lastUsedAt: null,
  };
  await backend.subscriptions.insert(subscription);
  return subscription;
}

async function insertSession(backend: Backend) {
  const userId = crypto.randomUUID();
  const email = `${userId}@example.com`;
  const digest = `session of ${userId}`;
  const at = { createdAt: new Date(), lastSeenAt: new Date(), expiresAt: new Date(Date.now() + dayMs) };
  await backend.users.insert(buildUser({ id: userId, email, role: 'viewer', createdAt: new Date() }));
  await backend.sessions.insert({ id: crypto.randomUUID(), digest, userId, device: null, address: null, ...at });
  return { userId, digest };
}

/** Makes a control log whose reads never return until its tail is closed. */
export function makeSilentControlLog(): Pick<ControlLog, 'openTail'> {
  return {
    openTail: () => {
      const { promise, reject } = Promise.withResolvers<never>();
      return { next: () => promise, close: async () => reject(new UnavailableError('closed')) };
    },
  };
}
