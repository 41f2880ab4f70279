import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { type Load, openLoad } from '../drivers/load.ts';
import type { HookOperation } from '../drivers/recording.ts';
import { isBalancerThere } from '../faults/balancer.ts';
import { type Checkpoints, createCheckpoints, expectNone } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { hooksSentIn, notAnsweredAsPromised, streamsEndedIn } from '../faults/outage.ts';
import { isLong } from '../faults/scale.ts';

const hooksPerSecond = isLong ? 1_000 : 300;
const overloadMs = isLong ? 60_000 : 10_000;
/** Reached in a third of that time. */
const backlogMax = (hooksPerSecond * overloadMs) / 1_000 / 3;
/** A pod asks once a second how much waits; until it knows, it accepts what comes. */
const overshootMs = 2_500;
const outOfMemoryMs = 5_000;
const ballast = 'ballast';
/** Locks cannot be renewed meanwhile: a job whose lock has run out is begun anew as if its worker had been killed. */
const roomAgainWithinMs = 15_000;

describe.runIf(isBalancerThere())('more hooks than can be carried out', () => {
  let cluster: FaultCluster;
  let load: Load;
  let checkpoints: Checkpoints;
  let redis: Redis;

  beforeAll(async () => {
    cluster = await openFaultCluster({ environment: { HOOK_BACKLOG_MAX: `${backlogMax}` } });
    load = await openLoad(cluster, { hooksPerSecond, createsPerSecond: 5, streams: 20, revocationsPerSecond: 0 });
    checkpoints = createCheckpoints('overload', cluster, load);
    redis = new Redis(cluster.redis.url);
    load.start();
  });
  afterAll(async () => {
    await checkpoints?.report();
    redis?.disconnect();
    await load?.close();
    await cluster?.dispose();
  });

  async function usedMemoryBytes(): Promise<number> {
    return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  }

  /** Something else takes most of the memory: of a bound that the log alone exceeds, events would have to make room. */
  async function runOutOfMemory(): Promise<void> {
    await redis.setrange(ballast, 2 * (await usedMemoryBytes()), 'x');
    await redis.config('SET', 'maxmemory', `${Math.floor(0.9 * (await usedMemoryBytes()))}`);
  }

  it('are taken up to the bound and refused above it; all that were taken are carried out afterwards', async () => {
    await delay(2_000);
    const memoryBefore = await usedMemoryBytes();
    const fromMs = performance.now();
    for (const worker of cluster.workers) worker.freeze();
    await delay(overloadMs);
    const toMs = performance.now();
    const memoryAtBound = await usedMemoryBytes();
    for (const worker of cluster.workers) worker.thaw();
    const { row, violations } = await checkpoints.take('hooks faster than workers', { withinMs: 90_000 });
    expectNone(violations);

    const hooks = hooksSentIn(load.recording, { fromMs, toMs });
    const accepted = hooks.filter(({ status }) => status === 202);
    const refused = hooks.filter(({ status }) => status === 503);
    console.log(
      `${accepted.length} accepted of ${hooks.length}, bound ${backlogMax}; Redis ${Math.round(memoryBefore / 2 ** 20)} MiB ` +
        `before, ${Math.round(memoryAtBound / 2 ** 20)} MiB at the bound; drained in ${Math.round(row.restedAfterMs)} ms`,
    );
    expect(notAnsweredAsPromised(hooks)).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ refusal }) => Number(refusal?.retryAfter) >= 1)).toBe(true);
    expect(accepted.length).toBeLessThan(backlogMax + (hooksPerSecond * overshootMs) / 1_000);
    expect(streamsEndedIn(load.recording, { fromMs, toMs })).toEqual([]);
  });

  it('Redis is out of memory: hooks are refused in time, streams stay, and all goes on when there is room', async () => {
    await delay(2_000);
    await runOutOfMemory();
    const fromMs = performance.now();
    await delay(outOfMemoryMs);
    const toMs = performance.now();
    await redis.config('SET', 'maxmemory', '0');
    await redis.unlink(ballast);
    const isAccepted = ({ status }: HookOperation) => status === 202;
    await eventually(
      async () => {
        const nowMs = performance.now();
        const latest = hooksSentIn(load.recording, { fromMs: nowMs - 1_000, toMs: nowMs });
        return latest.length > 0 && latest.every(isAccepted);
      },
      'all hooks of a second are accepted',
      roomAgainWithinMs,
    );
    const afterMs = performance.now();
    const { violations } = await checkpoints.take('Redis out of memory', { isLast: true });
    expectNone(violations);
    const meanwhile = hooksSentIn(load.recording, { fromMs: fromMs + 500, toMs: toMs - 500 });
    expect(notAnsweredAsPromised(meanwhile)).toEqual([]);
    // One that was sent late, by a process that had to wait itself, may have met a Redis that has room again.
    expect(meanwhile.filter((hook) => isAccepted(hook) && hook.endedAtMs < toMs)).toEqual([]);
    expect(streamsEndedIn(load.recording, { fromMs, toMs: afterMs })).toEqual([]);
  });
});
