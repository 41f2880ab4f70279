import { mintToken } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const proxy = '10.0.0.9';
// Three hooks, and then none for a long time.
const service = await openSharedApp({
  TRUSTED_PROXIES: [proxy],
  limits: { hooks: { ratePerSecond: 0.001, burst: 3 } },
});
const { token, integrationId } = await service.issueHookToken();

const validHook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };

/** Posts a hook and returns the log lines of its request. */
async function send(sentToken: string, payload: object, headers: Record<string, string> = {}) {
  const response = await service.inject({
    method: 'POST',
    url: `/api/v1/events/hooks/${sentToken}`,
    remoteAddress: proxy,
    headers,
    payload,
  });
  const lines = service.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ requestId }) => requestId === response.headers['x-request-id']);
  return { status: response.statusCode, lines };
}

describe('the log line of a refused hook', () => {
  test('names the integration and the address of the client behind a trusted proxy', async () => {
    const { lines } = await send(token, { kind: 'exploded' }, { 'x-forwarded-for': '198.51.100.7' });
    expect(lines).toMatchObject([
      { msg: 'request', status: 400, code: 'invalid-request', integrationId, clientAddress: '198.51.100.7' },
    ]);
  });

  test('names an IPv6 client by the network that rate limits count', async () => {
    const { lines } = await send(token, {}, { 'x-forwarded-for': '2001:db8:1:2:3::4' });
    expect(lines).toMatchObject([{ integrationId, clientAddress: '2001:db8:1:2::/64' }]);
  });

  test('names both for a hook beyond the rate limit', async () => {
    const { token: limited, integrationId: limitedId } = await service.issueHookToken();
    for (let index = 0; index < 3; index += 1) await send(limited, validHook);
    const { lines } = await send(limited, validHook, { 'x-forwarded-for': '198.51.100.8' });
    expect(lines).toMatchObject([
      { status: 429, code: 'rate-limited', integrationId: limitedId, clientAddress: '198.51.100.8' },
    ]);
  });

  test('names only the address if the token is unknown', async () => {
    const { lines } = await send(mintToken('wht'), validHook, { 'x-forwarded-for': '198.51.100.9' });
    expect(lines).toMatchObject([{ code: 'invalid-hook-token', clientAddress: '198.51.100.9' }]);
    expect(lines[0]).not.toHaveProperty('integrationId');
  });

  test('never contains the token', () => {
    expect(service.logLines.join('')).not.toMatch(/wht_/);
  });
});

test('the log line of a refused hook has a null address behind a proxy that is not trusted', async () => {
  const untrusting = await openTestApp();
  try {
    const { token: known } = await untrusting.issueHookToken();
    await untrusting.inject({
      method: 'POST',
      url: `/api/v1/events/hooks/${known}`,
      remoteAddress: proxy,
      headers: { 'x-forwarded-for': '198.51.100.7' },
      payload: {},
    });
    const line = untrusting.logLines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'request');
    expect(line).toMatchObject({ code: 'invalid-request', clientAddress: null });
  } finally {
    await untrusting.close();
  }
});
