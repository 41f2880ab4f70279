import { randomUUID } from 'node:crypto';
import type { TrustedProxies } from '@widget-service/api/http/forwarding.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const proxy = '10.0.0.7';
const stranger = '203.0.113.9';
/** Failures per address and minute that follow from one per account. */
const perAddress = 6;

let service: TestApp;
afterEach(() => service.close());

async function open(trustedProxies: TrustedProxies): Promise<void> {
  service = await openTestApp({ trustedProxies, limits: { signInFailuresPerMinute: 1 } });
}

const fail = (peer: string, headers: Record<string, string> = {}, email = `${randomUUID()}@example.com`) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/session',
    remoteAddress: peer,
    headers,
    payload: { email, password: 'wrong' },
  });

/** The status of one more failure after as many as one address may have. */
async function statusAfterMany(peer: string, headersOf: (attempt: number) => Record<string, string>): Promise<number> {
  for (let attempt = 0; attempt < perAddress; attempt += 1) {
    expectProblem(await fail(peer, headersOf(attempt)), { status: 403, code: 'invalid-credentials' });
  }
  return (await fail(peer, headersOf(perAddress))).statusCode;
}

async function urlHandedOut(peer: string, headers: Record<string, string>): Promise<string> {
  const admin = await service.signedIn('admin');
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/integrations',
    remoteAddress: peer,
    headers: { ...admin.headers, ...headers },
    payload: { name: 'sender' },
  });
  expect(response.statusCode).toBe(201);
  return response.json().url;
}

async function statusOfCreate(peer: string, headers: Record<string, string>): Promise<number> {
  const editor = await service.signedIn('editor');
  const response = await service.app.inject({
    method: 'POST',
    url: '/api/v1/widgets',
    remoteAddress: peer,
    headers: { ...editor.headers, ...headers },
    payload: { name: 'lamp' },
  });
  return response.statusCode;
}

const forwarded = { host: 'internal:8080', 'x-forwarded-host': 'widgets.example', 'x-forwarded-proto': 'https' };
const warnings = () => service.logLines.filter((line) => line.includes('TRUSTED_PROXIES') && line.includes('"warn"'));

describe.each<[string, TrustedProxies]>([
  ['by its address', ['192.0.2.1', proxy]],
  ['by its network', ['10.0.0.0/8']],
  ['as the one hop', 1],
])('a proxy that is trusted %s', (_, trusted) => {
  test('tells the client’s address, which the limit goes by', async () => {
    await open(trusted);
    const clientOf = (client: string) => () => ({ 'x-forwarded-for': client });
    expect(await statusAfterMany(proxy, clientOf('198.51.100.1'))).toBe(429);
    expect((await fail(proxy, { 'x-forwarded-for': '198.51.100.2' })).statusCode).toBe(403);
    expect(warnings()).toEqual([]);
  });

  test('cannot be made to tell another one by what the client sends along', async () => {
    await open(trusted);
    const spoofed = (attempt: number) => ({ 'x-forwarded-for': `192.0.2.${50 + attempt}, 198.51.100.3` });
    expect(await statusAfterMany(proxy, spoofed)).toBe(429);
  });

  test('tells scheme and host, for the URLs handed out and the origin check', async () => {
    await open(trusted);
    expect(await urlHandedOut(proxy, forwarded)).toMatch(/^https:\/\/widgets\.example\/api\/v1\/events\/hooks\/wht_/);
    expect(await statusOfCreate(proxy, { ...forwarded, origin: 'https://widgets.example' })).toBe(201);
    expect(await statusOfCreate(proxy, { ...forwarded, origin: 'http://internal:8080' })).toBe(403);
  });
});

describe('a proxy that tells the port, too', () => {
  test.each<[string, TrustedProxies, (port: number) => string]>([
    ['of an IPv4 address', [proxy], (port) => `198.51.100.5:${port}`],
    ['of an IPv6 address', 1, (port) => `[2001:db8:5:5::1]:${port}`],
    ['of the proxy before it', ['10.0.0.0/8'], (port) => `198.51.100.6:${port},10.0.0.9:${port + 1}`],
    ['of an IPv6 proxy before it', [proxy, 'fd12::/16'], (port) => `198.51.100.7, [fd12::9]:${port}`],
    ['of nothing, but with brackets', [proxy], (port) => `[2001:db8:6:6::${port}]`],
  ])('%s: connections of one client count as one', async (_, trusted, addressesFrom) => {
    await open(trusted);
    const connection = (attempt: number) => ({ 'x-forwarded-for': addressesFrom(2_000 + attempt) });
    expect(await statusAfterMany(proxy, connection)).toBe(429);
    expect((await fail(proxy, { 'x-forwarded-for': '198.51.100.8:2000' })).statusCode).toBe(403);
  });

  test('does not make an address of what is none', async () => {
    await open([proxy]);
    for (const odd of ['2001:db8:7:7::1', '[2001:db8:7:7::2', '[]:80', ':80', '198.51.100.9:port', ' , ,']) {
      expect((await fail(proxy, { 'x-forwarded-for': odd })).statusCode).toBe(403);
    }
  });
});

describe('a peer that is not among the trusted proxies', () => {
  test('is taken by its own address, scheme and Host', async () => {
    await open(['10.0.0.0/8']);
    const anyClient = (attempt: number) => ({ 'x-forwarded-for': `198.51.100.${attempt}` });
    expect(await statusAfterMany(stranger, anyClient)).toBe(429);
    expect(await urlHandedOut(stranger, forwarded)).toMatch(/^http:\/\/internal:8080\//);
    expect(await statusOfCreate(stranger, { ...forwarded, origin: 'https://widgets.example' })).toBe(403);
    expect(await statusOfCreate(stranger, { ...forwarded, origin: 'http://internal:8080' })).toBe(201);
  });
});

describe('with no trusted proxies', () => {
  test('forwarding headers are believed of nobody', async () => {
    await open(null);
    for (const peer of [proxy, stranger, '127.0.0.1']) {
      expect(await urlHandedOut(peer, { ...forwarded, forwarded: 'host=widgets.example;proto=https' })).toMatch(
        /^http:\/\/internal:8080\//,
      );
      expect(await statusOfCreate(peer, { ...forwarded, origin: 'https://widgets.example' })).toBe(403);
    }
  });

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])(
    'the first %s of a private peer is warned of, once and without what it says',
    async (name) => {
      await open(null);
      await fail(stranger, { [name]: 'secret-value' });
      await fail(proxy);
      expect(warnings()).toEqual([]);
      await fail(proxy, { [name]: 'secret-value' });
      await fail('127.0.0.1', { [name]: 'secret-value' });
      expect(warnings()).toHaveLength(1);
      expect(JSON.parse(warnings()[0] ?? '')).toMatchObject({ level: 'warn', peer: proxy });
      expect(service.logLines.join('')).not.toContain('secret-value');
    },
  );

  test('the limit per address does not count callers behind such a proxy; the one per account does', async () => {
    await open(null);
    const behind = () => ({ 'x-forwarded-for': '198.51.100.4' });
    expect(await statusAfterMany(proxy, behind)).toBe(403);
    const email = `${randomUUID()}@example.com`;
    expect((await fail(proxy, behind(), email)).statusCode).toBe(403);
    expect((await fail(proxy, behind(), email)).statusCode).toBe(429);
  });

  test('it does count a private peer without such headers, and a public one with them', async () => {
    await open(null);
    expect(await statusAfterMany(proxy, () => ({}))).toBe(429);
    expect(await statusAfterMany(stranger, (attempt) => ({ 'x-forwarded-for': `198.51.100.${attempt}` }))).toBe(429);
  });
});
