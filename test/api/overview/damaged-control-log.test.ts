import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { issueSubscription } from '../../drivers/app/issue-grants.ts';
import { openTestBackend } from '../../drivers/app/open-test-backend.ts';
import { signInThroughPorts } from '../../drivers/app/test-app.ts';
import { openPod } from '../../drivers/app/test-service.ts';
import { findEventsRedis } from '../../drivers/cluster/test-redis.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

// An embedded service keeps its control log in memory.
describe.skipIf(inject('backend') === 'embedded')('a key of the control log with another type', () => {
  test('is a condition of the overview and in the metric of its alert, and nothing of both once it is deleted', async () => {
    const { backend, place, dispose } = await openTestBackend();
    onTestFinished(dispose);
    const pod = await openPod({ ...backend, close: async () => undefined });
    onTestFinished(pod.close);
    const redis = new Redis(findEventsRedis().operatorUrl);
    onTestFinished(() => redis.disconnect());
    const { control } = redisKeys(place !== undefined && 'database' in place ? place.database : '');
    const { headers } = await signInThroughPorts(backend, 'admin');
    const isCondition = async (): Promise<boolean> => {
      const response = await fetch(`${pod.url}/api/v1/overview`, { headers });
      const { conditions } = (await response.json()) as { readonly conditions: readonly { readonly code: string }[] };
      return conditions.some(({ code }) => code === 'control-unavailable');
    };
    const countFailures = async (operation: string): Promise<number> => {
      const metrics = await (await fetch(`${pod.opsUrl}/metrics`)).text();
      const series = `widget_store_call_failures_total{port="control",operation="${operation}",error="unavailable"} `;
      return Number(metrics.split(series)[1]?.split('\n')[0] ?? 0);
    };
    const revoke = async () => {
      const { grant } = await issueSubscription(backend);
      const url = `${pod.url}/api/v1/subscriptions/${grant.id}`;
      return (await fetch(url, { method: 'DELETE', headers })).status;
    };
    expect(await isCondition()).toBe(false);
    expect(await revoke()).toBe(204);

    await redis.multi().del(control).set(control, 'a text').exec();
    await eventually(isCondition, 'the condition');
    expect(await revoke()).toBe(503);
    expect(await countFailures('announce')).toBeGreaterThan(0);
    expect(await countFailures('next')).toBeGreaterThan(0);
    // Its streams go on: it is ready.
    expect((await fetch(`${pod.opsUrl}/readyz`)).status).toBe(200);

    await redis.del(control);
    await eventually(async () => !(await isCondition()), 'the condition is over');
    expect(await revoke()).toBe(204);
  });
});
