import { randomUUID } from 'node:crypto';
import type { TrustedProxies } from '@widget-service/api/http/forwarding.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

const proxy = '10.0.0.7';
const untrustedPeer = '203.0.113.9';
/** The service allows six failures per address and minute when it allows one per account. */
const failuresPerAddress = 6;

let service: TestApp;
afterEach(() => service.close());

async function open(trustedProxies: TrustedProxies): Promise<void> {
  service = await openTestApp({ trustedProxies, limits: { signInFailuresPerMinute: 1 } });
}

const failSignIn = (peer: string, headers: Record<string, string> = {}, email = `${randomUUID()}@example.com`) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/session',
    remoteAddress: peer,
    headers,
    payload: { email, password: 'wrong' },
  });

/** Fails as often as one address may, and returns the status of one more failure. */
async function exceedFailures(peer: string, makeHeaders: (attempt: number) => Record<string, string>): Promise<number> {
  for (let attempt = 0; attempt < failuresPerAddress; attempt += 1) {
    expectProblem(await failSignIn(peer, makeHeaders(attempt)), { status: 403, code: 'invalid-credentials' });
  }
  return (await failSignIn(peer, makeHeaders(failuresPerAddress))).statusCode;
}

async function issueHookUrl(peer: string, headers: Record<string, string>): Promise<string> {
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

async function createWidgetStatus(peer: string, headers: Record<string, string>): Promise<number> {
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
const listWarnings = () =>
  service.logLines.filter((line) => line.includes('TRUSTED_PROXIES') && line.includes('"warn"'));

describe('forwarding headers that cannot begin a URL', () => {
  const send = async (peer: string, headers: Record<string, string>) => {
    const admin = await service.signedIn('admin');
    const request = {
      method: 'POST',
      url: '/api/v1/integrations',
      remoteAddress: peer,
      payload: { name: 'sender' },
    } as const;
    return service.app.inject({ ...request, headers: { ...admin.headers, ...headers } });
  };

  test.each([
    { 'x-forwarded-host': 'widgets.example/path' },
    { 'x-forwarded-host': 'user@widgets.example' },
    { 'x-forwarded-host': 'widgets.example:99999' },
    { 'x-forwarded-proto': 'javascript' },
    { 'x-forwarded-proto': 'https, ftp' },
  ])('get 400 malformed-request from a trusted proxy: %o', async (headers) => {
    await open([proxy]);
    expectProblem(await send(proxy, headers), { status: 400, code: 'malformed-request' });
  });

  test('are ignored from anybody else', async () => {
    await open([proxy]);
    const response = await send(untrustedPeer, { 'x-forwarded-host': 'a b', 'x-forwarded-proto': 'ftp' });
    expect(response.json().url).toMatch(/^http:\/\/localhost/);
  });

  test('may be written in upper case', async () => {
    await open([proxy]);
    const response = await send(proxy, { 'x-forwarded-host': 'Widgets.Example', 'x-forwarded-proto': 'HTTPS' });
    expect(response.json().url).toMatch(/^https:\/\/[Ww]idgets\.[Ee]xample\/api/);
  });
});

describe.each<[string, TrustedProxies]>([
  ['by its address', ['192.0.2.1', proxy]],
  ['by its network', ['10.0.0.0/8']],
  ['as the only hop', 1],
])('a proxy that is trusted %s', (_, trusted) => {
  test('determines the client address that the limit counts', async () => {
    await open(trusted);
    const forwardFrom = (client: string) => () => ({ 'x-forwarded-for': client });
    expect(await exceedFailures(proxy, forwardFrom('198.51.100.1'))).toBe(429);
    expect((await failSignIn(proxy, { 'x-forwarded-for': '198.51.100.2' })).statusCode).toBe(403);
    expect(listWarnings()).toEqual([]);
  });

  test('is not misled by an X-Forwarded-For of the client', async () => {
    await open(trusted);
    const spoofed = (attempt: number) => ({ 'x-forwarded-for': `192.0.2.${50 + attempt}, 198.51.100.3` });
    expect(await exceedFailures(proxy, spoofed)).toBe(429);
  });

  test('determines the scheme and host of returned URLs and of the origin check', async () => {
    await open(trusted);
    expect(await issueHookUrl(proxy, forwarded)).toMatch(/^https:\/\/widgets\.example\/api\/v1\/events\/hooks\/wht_/);
    expect(await createWidgetStatus(proxy, { ...forwarded, origin: 'https://widgets.example' })).toBe(201);
    expect(await createWidgetStatus(proxy, { ...forwarded, origin: 'http://internal:8080' })).toBe(403);
  });
});

describe('a trusted proxy that forwards the client port', () => {
  test.each<[string, TrustedProxies, (port: number) => string]>([
    ['an IPv4 address with a port', [proxy], (port) => `198.51.100.5:${port}`],
    ['an IPv6 address with a port', 1, (port) => `[2001:db8:5:5::1]:${port}`],
    ['an earlier IPv4 proxy with a port', ['10.0.0.0/8'], (port) => `198.51.100.6:${port},10.0.0.9:${port + 1}`],
    ['an earlier IPv6 proxy with a port', [proxy, 'fd12::/16'], (port) => `198.51.100.7, [fd12::9]:${port}`],
    ['an IPv6 address in brackets without a port', [proxy], (port) => `[2001:db8:6:6::${port}]`],
  ])('counts all connections of one client together: %s', async (_, trusted, makeForwardedFor) => {
    await open(trusted);
    const connection = (attempt: number) => ({ 'x-forwarded-for': makeForwardedFor(2_000 + attempt) });
    expect(await exceedFailures(proxy, connection)).toBe(429);
    expect((await failSignIn(proxy, { 'x-forwarded-for': '198.51.100.8:2000' })).statusCode).toBe(403);
  });

  test('answers a sign-in with an unusual X-Forwarded-For without an error', async () => {
    await open([proxy]);
    for (const forwardedFor of ['2001:db8:7:7::1', '[2001:db8:7:7::2', '[]:80', ':80', '198.51.100.9:port', ' , ,']) {
      expect((await failSignIn(proxy, { 'x-forwarded-for': forwardedFor })).statusCode).toBe(403);
    }
  });
});

describe('a peer that is not among the trusted proxies', () => {
  test('is identified by its own address, scheme and Host', async () => {
    await open(['10.0.0.0/8']);
    const anyClient = (attempt: number) => ({ 'x-forwarded-for': `198.51.100.${attempt}` });
    expect(await exceedFailures(untrustedPeer, anyClient)).toBe(429);
    expect(await issueHookUrl(untrustedPeer, forwarded)).toMatch(/^http:\/\/internal:8080\//);
    expect(await createWidgetStatus(untrustedPeer, { ...forwarded, origin: 'https://widgets.example' })).toBe(403);
    expect(await createWidgetStatus(untrustedPeer, { ...forwarded, origin: 'http://internal:8080' })).toBe(201);
  });
});

describe('without trusted proxies', () => {
  test('ignores forwarding headers of every peer', async () => {
    await open(null);
    for (const peer of [proxy, untrustedPeer, '127.0.0.1']) {
      expect(await issueHookUrl(peer, { ...forwarded, forwarded: 'host=widgets.example;proto=https' })).toMatch(
        /^http:\/\/internal:8080\//,
      );
      expect(await createWidgetStatus(peer, { ...forwarded, origin: 'https://widgets.example' })).toBe(403);
    }
  });

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])(
    'logs one warning, without the value, for the first %s header of a private peer',
    async (name) => {
      await open(null);
      await failSignIn(untrustedPeer, { [name]: 'secret-value' });
      await failSignIn(proxy);
      expect(listWarnings()).toEqual([]);
      await failSignIn(proxy, { [name]: 'secret-value' });
      await failSignIn('127.0.0.1', { [name]: 'secret-value' });
      expect(listWarnings()).toHaveLength(1);
      expect(JSON.parse(listWarnings()[0] ?? '')).toMatchObject({ level: 'warn', peer: proxy });
      expect(service.logLines.join('')).not.toContain('secret-value');
    },
  );

  test('counts the clients behind a private peer together, in a bucket ten times as large', async () => {
    await open(null);
    const startedAtMs = performance.now();
    const attempts = Array.from({ length: 10 * failuresPerAddress + 15 }, (_, attempt) =>
      failSignIn(proxy, { 'x-forwarded-for': `198.51.100.${attempt}` }),
    );
    const statuses = (await Promise.all(attempts)).map(({ statusCode }) => statusCode);
    // One permit returns each second.
    const returned = Math.ceil((performance.now() - startedAtMs) / 1_000);
    const letThrough = statuses.filter((status) => status !== 429).length;
    expect(letThrough).toBeGreaterThanOrEqual(10 * failuresPerAddress);
    expect(letThrough).toBeLessThanOrEqual(10 * failuresPerAddress + returned);
  });

  test('allows no second failure of an account to a private peer that adds a forwarding header', async () => {
    await open(null);
    const email = `${randomUUID()}@example.com`;
    const statuses: number[] = [];
    for (const headers of [{}, { 'x-forwarded-for': '198.51.100.4' }, { 'x-forwarded-host': 'widgets.example' }]) {
      statuses.push((await failSignIn(proxy, headers, email)).statusCode);
    }
    expect(statuses).toEqual([403, 429, 429]);
  });

  test('applies the limit per address to a private peer without forwarding headers, and to a public peer', async () => {
    await open(null);
    expect(await exceedFailures(proxy, () => ({}))).toBe(429);
    expect(await exceedFailures(untrustedPeer, (attempt) => ({ 'x-forwarded-for': `198.51.100.${attempt}` }))).toBe(
      429,
    );
  });
});

describe('TRUSTED_PROXIES=none', () => {
  test('counts a private peer by its address, whatever it forwards, and warns of nothing', async () => {
    await open([]);
    expect(await exceedFailures(proxy, (attempt) => ({ 'x-forwarded-for': `198.51.100.${attempt}` }))).toBe(429);
    expect(await issueHookUrl(proxy, forwarded)).toMatch(/^http:\/\/internal:8080\//);
    expect(listWarnings()).toEqual([]);
  });
});
