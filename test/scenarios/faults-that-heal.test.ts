import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { type Load, openLoad } from '../drivers/load.ts';
import { isBalancerThere } from '../faults/balancer.ts';
import { type Checkpoints, createCheckpoints, expectNone } from '../faults/checkpoint.ts';
import { expectHooksToGoOn, expectOnlyRefusals } from '../faults/expect-outage.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { freezeInMidJob } from '../faults/freeze-in-mid-job.ts';
import { hooksNotTold, type Stretch } from '../faults/outage.ts';
import { streamsOpenOn } from '../faults/process-figures.ts';
import { isLong, scale } from '../faults/scale.ts';
import type { ServiceSlot } from '../faults/service-slot.ts';
import type { TcpProxy } from '../faults/tcp-proxy.ts';

/**
 * A worker's lock runs out after 6 s, and another looks for such jobs every 2 s. To its locks a frozen process is one
 * whose event loop is blocked.
 */
const pastLockMs = 10_000;
/** A connection of a worker that leads nowhere is given up after 12 s without an answer; then jobs go on as after a kill. */
const deadLinkRestMs = 60_000;
/** A worker hands its jobs back when its stores have not answered for 10 s, and learns of that within 5 s more. */
const handedOverAfterMs = 15_000;
const toldWithinMs = 5_000;
/** Streams of what was revoked end within 2 s. */
const rightsLongGoneMs = 4_000;
/** A pod waits for 10 s, then for another 10 s whether others go on; a read may take 5 s until it has failed. */
const elsewhereWithinMs = 40_000;

describe.runIf(isBalancerThere())('one cluster under load goes through every fault that heals', () => {
  let cluster: FaultCluster;
  let load: Load;
  let checkpoints: Checkpoints;

  beforeAll(async () => {
    cluster = await openFaultCluster({ environment: { DRAIN_DELAY_MS: '500', DRAIN_WINDOW_MS: '1000' } });
    load = await openLoad(cluster);
    checkpoints = createCheckpoints('faults that heal', cluster, load);
    load.start();
  });
  afterAll(async () => {
    await checkpoints?.report();
    await load?.close();
    await cluster?.dispose();
  });

  /** Load, the fault, load; then all checkers. Returns when the fault was there. */
  async function endure(fault: string, damage: () => Promise<void>, withinMs?: number): Promise<Stretch> {
    await delay(1_500);
    const fromMs = performance.now();
    await damage();
    const toMs = performance.now();
    await delay(1_500);
    const { violations } = await checkpoints.take(fault, withinMs === undefined ? {} : { withinMs });
    expectNone(violations);
    return { fromMs, toMs };
  }

  /** Whose right ended just now comes back, as a browser does, when a fault that begins now is there. */
  async function somebodyIsRevoked(): Promise<void> {
    const acknowledged = () => load.recording.revocations.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== null);
    const before = acknowledged().length;
    await eventually(async () => acknowledged().length > before, 'a subscription is revoked');
  }

  /** Starts the process anew on a wire that only it uses, until the test is over. */
  async function giveLinkOfItsOwn(slot: ServiceSlot, store: 'MONGODB_URL' | 'REDIS_URL'): Promise<TcpProxy> {
    const { link, environment } = await cluster.openLinkFor(store);
    // Also when it fails: the rows behind it are about something else.
    onTestFinished(async () => {
      await slot.stop();
      await slot.start();
      await link.close();
    });
    await slot.stop();
    await slot.start(environment);
    return link;
  }

  it('a pod is killed in the middle of its requests, and started again', async () => {
    await endure('kill -9 of a pod', async () => {
      await cluster.pods[0]!.kill();
      await delay(1_000);
      await cluster.pods[0]!.start();
    });
  });

  it('a worker is killed in the middle of its jobs, and started again', async () => {
    await endure('kill -9 of a worker', async () => {
      await freezeInMidJob(cluster, cluster.workers[0]!);
      await cluster.workers[0]!.kill();
      await cluster.workers[0]!.start();
    });
  });

  it('Redis is killed, and started again on its append-only file', async () => {
    const away = await endure('kill -9 of Redis', async () => {
      await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse()]);
      await delay(scale.redisAwayMs);
      await Promise.all([cluster.redis.start(), cluster.redisLink.mend()]);
    });
    expectOnlyRefusals(load.recording, { ...away, toMs: away.fromMs + scale.redisAwayMs });
  });

  it('Redis is frozen, and goes on', async () => {
    const away = await endure('Redis frozen', async () => {
      cluster.redis.freeze();
      await delay(scale.redisFrozenMs);
      cluster.redis.thaw();
    });
    // What was sent right before the end may still be answered by Redis itself.
    expectOnlyRefusals(load.recording, { ...away, toMs: away.toMs - 2_000 });
  });

  const halfOpen = [
    ['what is asked arrives, what is answered does not', 'to-client'],
    ['what is asked does not arrive', 'to-server'],
  ] as const;

  it.each(isLong ? halfOpen : halfOpen.slice(0, 1))('the link to Redis is half open: %s', async (_, swallowed) => {
    const damage = async () => {
      cluster.redisLink.swallow(swallowed);
      await delay(scale.linkDamagedMs);
      await cluster.redisLink.mend();
    };
    const away = await endure(`half-open link to Redis, ${swallowed}`, damage, deadLinkRestMs);
    // As above.
    expectOnlyRefusals(load.recording, { ...away, toMs: away.toMs - 2_000 });
  });

  it('replies are cut off after their commands were forwarded, at both stores', async () => {
    await endure('replies cut off', async () => {
      const cut = async (link: FaultCluster['redisLink'], word: string, times: number) => {
        const before = link.repliesCut;
        link.cutReplies(times, (request) => request.includes(word));
        await eventually(async () => link.repliesCut - before === times, `${times} replies to ${word} were cut`);
        await link.mend();
      };
      await cut(cluster.redisLink, 'job-', 5);
      await cut(cluster.redisLink, ':log:meta', 5);
      await cut(cluster.redisLink, ':active', 5);
      for (const command of ['insert', 'update', 'findAndModify']) await cut(cluster.mongoLink, command, 5);
    });
  });

  it('MongoDB is cut off', async () => {
    await somebodyIsRevoked();
    const away = await endure('MongoDB cut off', async () => {
      cluster.mongoLink.cut();
      await delay(scale.linkDamagedMs);
      await cluster.mongoLink.mend();
    });
    expectHooksToGoOn(load.recording, away);
  });

  it('MongoDB is stalled: what was given up arrives late', async () => {
    await somebodyIsRevoked();
    const away = await endure('MongoDB stalled', async () => {
      cluster.mongoLink.freeze();
      await delay(scale.linkDamagedMs);
      await cluster.mongoLink.mend();
    });
    expectHooksToGoOn(load.recording, { ...away, toMs: away.toMs - 2_000 });
  });

  it('one worker alone is cut off from MongoDB: others take its jobs over', async () => {
    const worker = cluster.workers[0]!;
    const link = await giveLinkOfItsOwn(worker, 'MONGODB_URL');
    await endure('one worker cut off from MongoDB', async () => {
      const fromMs = performance.now();
      link.cut();
      await delay(handedOverAfterMs);
      // Later ones wait behind all these: how fast they are worked off is not what this is about.
      const heldUp = { fromMs, toMs: fromMs + 5_000 };
      const notTold = () => hooksNotTold(load.recording, heldUp);
      await eventually(async () => notTold().length === 0, 'the other worker runs all hooks', toldWithinMs);
      await link.mend();
    });
  });

  it('one pod alone is cut off from Redis: its streams go on elsewhere', async () => {
    const pod = cluster.pods[0]!;
    const link = await giveLinkOfItsOwn(pod, 'REDIS_URL');
    // The streams of another come to it.
    await cluster.pods[1]!.kill();
    await cluster.pods[1]!.start();
    await eventually(async () => (await streamsOpenOn(pod)) > 5, 'it has streams');
    await endure('one pod cut off from Redis, 8 s', async () => {
      link.cut();
      await delay(8_000);
      await link.mend();
    });
    await endure('one pod cut off from Redis', async () => {
      link.cut();
      await eventually(
        async () => (await streamsOpenOn(pod)) === 0,
        'it has sent its streams elsewhere',
        elsewhereWithinMs,
      );
      await link.mend();
    });
  });

  it('a pod is taken out of the balancer, and put back', async () => {
    await endure('pod out of the balancer', async () => {
      await cluster.balancer.takeOut('pod-1');
      await delay(3_000);
      expect(await cluster.balancer.ready()).not.toContain('pod-1');
      await cluster.balancer.putBack('pod-1');
    });
  });

  it('a pod is frozen while others end what is revoked, and wakes', async () => {
    await endure('pod frozen', async () => {
      cluster.pods[2]!.freeze();
      // Of those whose requests went to it nobody has an answer yet.
      await somebodyIsRevoked();
      await delay(rightsLongGoneMs);
      cluster.pods[2]!.thaw();
    });
  });

  it('a worker is frozen until its locks have run out and others have its jobs, and wakes', async () => {
    await endure('worker frozen past its locks', async () => {
      await freezeInMidJob(cluster, cluster.workers[1]!);
      await delay(pastLockMs);
      cluster.workers[1]!.thaw();
    });
  });

  it('a pod and a worker are started while Redis is away', async () => {
    await endure('started while Redis is away', async () => {
      const starters = [cluster.pods[2]!, cluster.workers[1]!];
      await Promise.all([cluster.redis.kill(), cluster.redisLink.refuse(), ...starters.map((slot) => slot.kill())]);
      await Promise.all(starters.map((slot) => slot.start()));
      expect(await cluster.balancer.ready()).not.toContain('pod-2');
      await Promise.all([cluster.redis.start(), cluster.redisLink.mend()]);
      await eventually(async () => (await cluster.balancer.ready()).length === 3, 'every pod is ready');
    });
  });

  it('no fault, and in the end no secret stands in any store', async () => {
    await delay(1_000);
    const { violations } = await checkpoints.take('none', { searchStores: true, isLast: true });
    expectNone(violations);
    // So that what is checked of them was checked of something.
    const acknowledged = load.recording.revocations.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== null);
    expect(acknowledged.length).toBeGreaterThan(10);
  });
});
