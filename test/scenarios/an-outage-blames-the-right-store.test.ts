/**
 * Takes each store of a cluster under load away, one at a time, and evaluates the recording rules of the stores on the
 * counters of real processes: only the rule of the store that is away may report failed calls.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSelectors, loadRules } from '../deploy/prometheus/rule-files.ts';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { areAllReady } from '../faults/process-metrics.ts';

/** More than the limit of the alert, because a few calls still succeed while the store goes away. */
const awayMs = 6_000;
const alertLimit = 0.1;

const rules = loadRules().filter(({ record }) => record?.endsWith('unavailable:ratio_rate2m'));

/** Returns the sum of the series that a selector of a rule matches. */
function sumSeries(metrics: string, selector: string): number {
  const name = /^\w+/.exec(selector)?.[0] ?? '';
  const matchers = [...selector.matchAll(/(\w+)=~?"([^"]*)"/g)].map(
    ([, label = '', value = '']) => new RegExp(`[{,]${label}="(${value})"`),
  );
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && matchers.every((matcher) => matcher.test(line)))
    .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
}

describe.runIf(isHaproxyInstalled())('a cluster with a Redis for events', () => {
  let cluster: FaultCluster;
  let load: Load;

  /** Returns the failed calls and all calls of each store, as its recording rule counts them. */
  async function countCalls() {
    const texts = [...cluster.pods, ...cluster.workers].map(async ({ process: { opsUrl } }) =>
      (await fetch(`${opsUrl}/metrics`)).text(),
    );
    const metrics = (await Promise.all(texts)).join('\n');
    return rules.map(({ expr, labels }) => {
      const [failed = 0, all = 0] = findSelectors(expr).map(({ text }) => sumSeries(metrics, text));
      return { store: labels?.store ?? '', failed, all };
    });
  }

  /** Waits a second. Processes that are ready may still have to connect again. */
  async function isCalm(): Promise<boolean> {
    const before = await countCalls();
    await delay(1_000);
    const after = await countCalls();
    return (await areAllReady(cluster)) && after.every(({ failed }, index) => failed === before[index]?.failed);
  }

  beforeAll(async () => {
    cluster = await openFaultCluster({ pods: 1, workers: 1, hasEventsRedis: true });
    load = await openLoad(cluster, { hooksPerSecond: 20, createsPerSecond: 5, streams: 5, revocationsPerSecond: 0 });
    load.start();
    await delay(1_500);
  });
  afterAll(async () => {
    await load?.close();
    await cluster?.dispose();
  });

  test.each([
    { away: 'REDIS_URL', link: 'redisLink', blamed: 'redis' },
    { away: 'EVENTS_REDIS_URL', link: 'eventsRedisLink', blamed: 'redis' },
    { away: 'MONGODB_URL', link: 'mongoLink', blamed: 'mongodb' },
  ] as const)('reports failed calls to $blamed alone while $away is away', async ({ link, blamed }) => {
    const before = await countCalls();
    await cluster[link].refuse();
    await delay(awayMs);
    const after = await countCalls();
    await cluster[link].mend();
    await eventually(isCalm, 'no call has failed for a second');
    const shares = after.map(({ store, failed, all }, index) => {
      const earlier = before[index] ?? { failed: 0, all: 0 };
      return { store, failed: failed - earlier.failed, share: (failed - earlier.failed) / (all - earlier.all) };
    });
    expect(shares.map(({ store }) => store).sort()).toEqual(['mongodb', 'redis']);
    for (const { store, failed, share } of shares) {
      if (store === blamed) expect(share, JSON.stringify(shares)).toBeGreaterThan(alertLimit);
      else expect(failed, JSON.stringify(shares)).toBe(0);
    }
  });
});
