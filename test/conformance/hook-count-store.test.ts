import { randomUUID } from 'node:crypto';
import { type HookCounts, listCountedHours, toHour } from '@widget-service/shared/ports/hook-count-store.ts';
import { describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';

const hourMs = 3_600_000;
const now = new Date();
const current = toHour(now);
const previous = new Date(current.getTime() - hourMs);

const byHour = (a: HookCounts, b: HookCounts) =>
  a.hour.getTime() - b.hour.getTime() || (a.integrationId < b.integrationId ? -1 : 1);

describe('HookCountStore', async () => {
  const testBackend = await openSharedBackend();
  const store = () => testBackend.backend.hookCounts;
  const list = async (ids: readonly string[], hours = listCountedHours(now)) =>
    requireReadable(await store().list(ids, hours)).toSorted(byHour);

  test('adds the counts of each integration and hour, also after a reopen', async () => {
    const [one, other] = [randomUUID(), randomUUID()].toSorted() as [string, string];
    await store().add([
      { integrationId: one, hour: current, accepted: 3, refused: 1 },
      { integrationId: other, hour: current, accepted: 0, refused: 5 },
      { integrationId: one, hour: previous, accepted: 7, refused: 0 },
    ]);
    await testBackend.reopen();
    await store().add([{ integrationId: one, hour: current, accepted: 10, refused: 0 }]);
    expect(await list([one, other])).toEqual([
      { integrationId: one, hour: previous, accepted: 7, refused: 0 },
      { integrationId: one, hour: current, accepted: 13, refused: 1 },
      { integrationId: other, hour: current, accepted: 0, refused: 5 },
    ]);
  });

  test('adds two counts of one integration and hour in one call', async () => {
    const integrationId = randomUUID();
    const count = { integrationId, hour: current, accepted: 2, refused: 1 };
    await store().add([count, count]);
    expect(await list([integrationId])).toEqual([{ ...count, accepted: 4, refused: 2 }]);
  });

  test('returns only the given integrations and hours', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    await store().add([
      { integrationId: one, hour: current, accepted: 1, refused: 0 },
      { integrationId: one, hour: previous, accepted: 2, refused: 0 },
      { integrationId: other, hour: current, accepted: 4, refused: 0 },
    ]);
    expect(await list([one], [previous])).toMatchObject([{ integrationId: one, accepted: 2 }]);
    expect(await list([one])).toHaveLength(2);
    expect(await list([randomUUID()])).toEqual([]);
    expect(await list([])).toEqual([]);
    expect(await list([one], [])).toEqual([]);
  });

  test('adds the counts of concurrent calls', async () => {
    const integrationId = randomUUID();
    const add = () => store().add([{ integrationId, hour: current, accepted: 1, refused: 1 }]);
    await Promise.all(Array.from({ length: 50 }, add));
    expect(await list([integrationId])).toEqual([{ integrationId, hour: current, accepted: 50, refused: 50 }]);
  });

  test('removes the counts of an hour that began 25 hours ago, and keeps those that are shown', async () => {
    const integrationId = randomUUID();
    const [oldest] = listCountedHours(now);
    const shown = { integrationId, hour: oldest as Date, accepted: 1, refused: 0 };
    await store().add([shown]);
    await testBackend.backend.removeExpired(now);
    expect(await list([integrationId])).toEqual([shown]);
    await testBackend.backend.removeExpired(new Date(shown.hour.getTime() + 25 * hourMs));
    // On the cluster removeExpired does nothing: Redis removes the hash by its own clock.
    expect(await list([integrationId])).toEqual(testBackend.backend.kind === 'embedded' ? [] : [shown]);
  });
});

test('the hours that are shown are 24 full hours, of which the last is the current one', () => {
  const hours = listCountedHours(new Date('2026-03-01T10:59:59.999Z'));
  expect(hours).toHaveLength(24);
  expect(hours[0]).toEqual(new Date('2026-02-28T11:00:00.000Z'));
  expect(hours.at(-1)).toEqual(new Date('2026-03-01T10:00:00.000Z'));
});
