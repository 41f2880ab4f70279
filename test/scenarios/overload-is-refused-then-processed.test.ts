import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it as test } from 'vitest';
import { setOptions } from '../drivers/cluster/component-options.ts';
import type { HookOperation } from '../drivers/cluster/recording.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import { findEndedStreams, findLateOrWrongAnswers, selectHooks } from '../faults/recording-queries.ts';
import { isLong } from '../faults/scale.ts';

const hooksPerSecond = isLong ? 1_000 : 300;
const overloadMs = isLong ? 60_000 : 10_000;
/** The load reaches this admission limit in a third of the time. */
const backlogMax = (hooksPerSecond * overloadMs) / 1_000 / 3;
/** A pod reads the backlog once per second, so it accepts more hooks for a moment. */
const overshootMs = 2_500;
const outOfMemoryMs = 5_000;
const ballast = 'ballast';
/** Workers cannot renew locks without memory. A job whose lock expired starts again, as after a kill of its worker. */
const acceptedAgainWithinMs = 15_000;

describe.runIf(isHaproxyInstalled())('an overloaded cluster', () => {
  let cluster: FaultRun['cluster'];
  let load: FaultRun['load'];
  let checkpoints: FaultRun['checkpoints'];
  let redis: Redis;

  // The load has one integration: it may use the whole limit.
  const environment = { HOOK_BACKLOG_MAX: `${backlogMax}`, ...setOptions({ backlogSharePercent: 100 }) };
  const rates = { hooksPerSecond, createsPerSecond: 5, streams: 20, revocationsPerSecond: 0 };
  useFaultRun('overload', { environment, ...rates }, (run) => {
    ({ cluster, load, checkpoints } = run);
    redis = new Redis(cluster.redis.url);
  });
  afterAll(() => redis?.disconnect());

  async function usedMemoryBytes(): Promise<number> {
    return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  }

  /** Fills memory with other data. If the log alone exceeded the limit, the service would have to drop events. */
  async function fillMemory(): Promise<void> {
    await redis.setrange(ballast, 2 * (await usedMemoryBytes()), 'x');
    await redis.config('SET', 'maxmemory', `${Math.floor(0.9 * (await usedMemoryBytes()))}`);
  }

  test('accepts hooks up to the admission limit, refuses more with 503, and processes all accepted hooks', async () => {
    const memoryBefore = await usedMemoryBytes();
    const fromMs = performance.now();
    for (const worker of cluster.workers) worker.freeze();
    await delay(overloadMs);
    const toMs = performance.now();
    const memoryAtLimit = await usedMemoryBytes();
    for (const worker of cluster.workers) worker.thaw();
    const row = await checkpoints.take('hooks faster than the workers, up to the admission limit and above', {
      withinMs: 90_000,
    });

    const hooks = selectHooks(load.recording, { fromMs, toMs });
    const accepted = hooks.filter(({ status }) => status === 202);
    const refused = hooks.filter(({ status }) => status === 503);
    console.log(
      `${accepted.length} accepted of ${hooks.length}, limit ${backlogMax}; ` +
        `Redis ${Math.round(memoryBefore / 2 ** 20)} MiB before, ${Math.round(memoryAtLimit / 2 ** 20)} MiB at the limit; idle after ${Math.round(row.idleAfterMs)} ms`,
    );
    expect(findLateOrWrongAnswers(hooks)).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ refusal }) => Number(refusal?.retryAfter) >= 1)).toBe(true);
    expect(accepted.length).toBeLessThan(backlogMax + (hooksPerSecond * overshootMs) / 1_000);
    expect(findEndedStreams(load.recording, { fromMs, toMs })).toEqual([]);
  });

  test('refuses hooks within 2 s while Redis is out of memory, ends no stream, and accepts hooks afterwards', async () => {
    await delay(500);
    await fillMemory();
    const fromMs = performance.now();
    await delay(outOfMemoryMs);
    const toMs = performance.now();
    await redis.config('SET', 'maxmemory', '0');
    await redis.unlink(ballast);
    const isAccepted = ({ status }: HookOperation) => status === 202;
    await eventually(
      async () => {
        const nowMs = performance.now();
        const latest = selectHooks(load.recording, { fromMs: nowMs - 1_000, toMs: nowMs });
        return latest.length > 0 && latest.every(isAccepted);
      },
      'all hooks of the last second are accepted',
      acceptedAgainWithinMs,
    );
    const afterMs = performance.now();
    await checkpoints.take('Redis out of memory', { isLast: true });
    const meanwhile = selectHooks(load.recording, { fromMs: fromMs + 500, toMs: toMs - 500 });
    expect(findLateOrWrongAnswers(meanwhile)).toEqual([]);
    // A hook that ended later may have arrived when Redis had memory again.
    expect(meanwhile.filter((hook) => isAccepted(hook) && hook.endedAtMs < toMs)).toEqual([]);
    expect(findEndedStreams(load.recording, { fromMs, toMs: afterMs })).toEqual([]);
  });
});
