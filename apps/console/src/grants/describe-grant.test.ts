import { afterEach, expect, test } from 'vitest';
import { browserTimeZone, timeZone } from '../parts/preferences.ts';
import {
  findIssuer,
  formatUntil,
  type Grant,
  grantOrders,
  maskSecret,
  sortGrants,
  toIssueQuery,
} from './describe-grant.ts';

const grant = {
  id: '01a1fc8c-7db6-757e-a9db-2ab4c3145fcb',
  name: 'Importer',
  permissions: [],
  expiresAt: null,
  createdAt: '2026-11-21T05:20:28.087Z',
  createdBy: '01a1fc8b-61ab-7447-b0d0-c663438d0562',
  tokenIssuedAt: '2026-11-21T05:20:28.087Z',
  previousExpiresAt: null,
  lastUsedAt: null,
};

test('the secret of a grant that was never rotated was issued at its creation', () => {
  expect(toIssueQuery('/api/v1/provision-tokens', grant)).toEqual({
    targetId: grant.id,
    action: 'provision-token.created',
    from: '2026-11-21T05:19:28.087Z',
    to: '2026-11-21T05:20:28.088Z',
  });
});

test('the secret of a rotated grant was issued by that rotation', () => {
  const rotated = { ...grant, tokenIssuedAt: '2026-11-22T05:20:28.087Z' };
  expect(toIssueQuery('/api/v1/integrations', rotated)).toMatchObject({
    action: 'integration.token-rotated',
    to: '2026-11-22T05:20:28.088Z',
  });
});

test('the newest event that succeeded names who issued it', () => {
  const failed = { outcome: 'failed', actorName: 'Lea' } as const;
  const succeeded = { outcome: 'succeeded', actorName: 'Ines Moreau' } as const;
  expect(findIssuer([failed, succeeded])).toBe('Ines Moreau');
  expect(findIssuer([failed])).toBeNull();
  expect(findIssuer([])).toBeNull();
});

const zoneBefore = browserTimeZone.peek();
afterEach(() => {
  timeZone.value = 'local';
  browserTimeZone.value = zoneBefore;
});

const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).getTime();

test('names the time, and says if it is tomorrow', () => {
  expect(formatUntil(at(21, 14, 5), at(21, 9, 0))).toBe('14:05');
  expect(formatUntil(at(22, 9, 0), at(21, 14, 5))).toBe('tomorrow 09:00');
});

test('tomorrow is the next day of the chosen time zone', () => {
  // Nine hours before UTC all year.
  browserTimeZone.value = 'Asia/Tokyo';
  const [atMs, nowMs] = [Date.parse('2026-11-21T23:30:00Z'), Date.parse('2026-11-21T10:00:00Z')];
  expect(formatUntil(atMs, nowMs)).toBe('tomorrow 08:30');
  timeZone.value = 'utc';
  expect(formatUntil(atMs, nowMs)).toBe('23:30');
});

const mask = '•'.repeat(24);

test('keeps the address and the end of a secret URL', () => {
  expect(maskSecret('https://example.com/api/v1/events/hooks/wht_qdQfdTzzzzzz8iMs')).toBe(
    `https://example.com/api/v1/events/hooks/wht_${mask}8iMs`,
  );
});

test('keeps the kind and the end of a signing secret, also if its base64 has slashes', () => {
  expect(maskSecret('whsec_Tq/tYWi_/abcdefghv72p/kW8=')).toBe(`whsec_${mask}kW8=`);
});

const named = (name: string, lastConnectedAt: string | null, expiresAt: string | null) =>
  ({ name, lastConnectedAt, expiresAt }) as Grant;
const grants = [
  named('screen 10', null, '2099-01-02T00:00:00.000Z'),
  named('Phone', '2026-01-01T00:00:00.000Z', null),
  named('Screen 9', '2026-01-02T00:00:00.000Z', '2099-01-01T00:00:00.000Z'),
];

test.each([
  ['newest', ['screen 10', 'Phone', 'Screen 9']],
  ['name', ['Phone', 'Screen 9', 'screen 10']],
  ['lastUsed', ['Screen 9', 'Phone', 'screen 10']],
  ['expires', ['Screen 9', 'screen 10', 'Phone']],
] as const)('sorts by %s', (order, names) => {
  expect(Object.keys(grantOrders)).toContain(order);
  expect(sortGrants(grants, order).map(({ name }) => name)).toEqual(names);
});
