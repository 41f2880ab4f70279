import { hookCountLimits, listCountedHours } from '@widget-service/shared/ports/hook-count-store.ts';
import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

interface Counts {
  readonly integrationId: string;
  readonly integrationName: string;
  readonly startsAt: string;
  readonly accepted: readonly number[];
  readonly refused: readonly number[];
}

const get = (query = '') => admin.get(`/api/v1/hook-counts${query}`);
const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0);

describe('GET /api/v1/hook-counts', () => {
  test('shows the hooks that each integration sent, accepted and refused, by hour', async () => {
    const [busy, silent] = [await service.issueHookToken(), await service.issueHookToken()];
    await service.backend.integrations.change(busy.integrationId, () => ({ name: 'Plant north' }));
    const url = `/api/v1/events/hooks/${busy.token}`;
    const hook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
    // A pod that ends writes its counts; one that goes on, every 10 s.
    const pod = await openTestApp({ sharedBackend: service.backend });
    for (const payload of [hook, hook, hook, { kind: 'exploded' }]) await pod.post(url, payload);
    await pod.close();
    // Of another pod, in an early hour that is shown, even if another hour begins now, and in one that is not.
    const [first = new Date(), second = first] = listCountedHours(new Date());
    const tooOld = new Date(first.getTime() - 3_600_000);
    for (const hour of [second, tooOld]) {
      await service.backend.hookCounts.add([{ integrationId: busy.integrationId, hour, accepted: 100, refused: 10 }]);
    }
    const find = async (integrationId: string): Promise<Counts | undefined> =>
      (await get()).json().items.find((item: Counts) => item.integrationId === integrationId);
    const counts = await find(busy.integrationId);
    expect(sum(counts?.accepted)).toBe(103);
    expect(counts).toMatchObject({ integrationName: 'Plant north' });
    expect(counts?.accepted).toHaveLength(hookCountLimits.hours);
    expect(sum(counts?.refused)).toBe(11);
    expect(counts?.accepted.slice(0, 2)).toContain(100);
    expect(new Date(counts?.startsAt ?? '').getTime() % 3_600_000).toBe(0);
    const none = Array(24).fill(0);
    expect(await find(silent.integrationId)).toMatchObject({ accepted: none, refused: none });
  });

  test('has the pages of the list of integrations', async () => {
    const { integrationId } = await service.issueHookToken();
    const page = (await get('?pageSize=1')).json();
    expect(page).toMatchObject({ items: [{ integrationId }], page: 1, pageSize: 1, hasNext: true });
    expect((await get('?page=999')).json()).toMatchObject({ items: [], hasNext: false });
  });
});

test('a store of counts that hangs or fails neither delays nor changes the response, nor the end of the pod', async () => {
  const pod = await openTestApp({
    replace: ({ hookCounts }) => ({
      hookCounts: {
        list: (ids, hours) => hookCounts.list(ids, hours),
        add: () => new Promise(() => undefined),
      },
    }),
  });
  const { token } = await pod.issueHookToken();
  const payload = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
  const response = await pod.post(`/api/v1/events/hooks/${token}`, payload);
  expect(response.statusCode).toBe(202);
  const startedAtMs = performance.now();
  await pod.close();
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});
