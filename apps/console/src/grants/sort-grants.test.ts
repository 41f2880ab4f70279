import { expect, test } from 'vitest';
import type { Grant } from './grant-kind.ts';
import { grantOrders, sortGrants } from './sort-grants.ts';

const grant = (name: string, lastConnectedAt: string | null, expiresAt: string | null) =>
  ({ name, lastConnectedAt, expiresAt }) as Grant;
const grants = [
  grant('screen 10', null, '2099-01-02T00:00:00.000Z'),
  grant('Phone', '2026-01-01T00:00:00.000Z', null),
  grant('Screen 9', '2026-01-02T00:00:00.000Z', '2099-01-01T00:00:00.000Z'),
];

test.each([
  ['newest', ['screen 10', 'Phone', 'Screen 9']],
  ['name', ['Phone', 'Screen 9', 'screen 10']],
  ['lastUsed', ['Screen 9', 'Phone', 'screen 10']],
  ['expires', ['Screen 9', 'screen 10', 'Phone']],
] as const)('sorts by %s', (order, names) => {
  expect(grantOrders).toContain(order);
  expect(sortGrants(grants, order).map(({ name }) => name)).toEqual(names);
});
