import { randomUUID } from 'node:crypto';
import type { TrustedProxies } from '@widget-service/api/http/forwarding.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestAppOptions, type TestCaller } from '../../drivers/app/test-app.ts';
import { exchange } from '../bad-input/raw-connection.ts';

/**
 * The method, the address, the scheme, the host and the client of a request, and the headers by which some servers
 * change them. What the shipped proxies forward is in `test/scenarios/forwarding-headers-through-proxies.test.ts`.
 */
const proxy = '10.0.0.7';
const untrustedPeer = '203.0.113.9';
/** The service allows six failures per address and minute when it allows one per account. */
const failuresPerAddress = 6;
const limits = { signInFailuresPerMinute: 1 };

let service: TestApp;
let admin: TestCaller;
async function open(options: TestAppOptions): Promise<void> {
  service = await openTestApp(options);
  admin = await service.signedIn('admin');
}
const close = () => service.close();

const issue = (peer: string, headers: Record<string, string>) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/integrations',
    remoteAddress: peer,
    headers: { ...admin.headers, host: 'internal:8080', ...headers },
    payload: { name: 'sender' },
  });
const issueUrl = async (peer: string, headers: Record<string, string>) => (await issue(peer, headers)).json().url;

const failSignIn = (peer: string, headers: Record<string, string> = {}, email = `${randomUUID()}@example.com`) =>
  service.inject({
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

const listWarnings = () =>
  service.logLines.filter((line) => line.includes('TRUSTED_PROXIES') && line.includes('"warn"'));

describe('a request line', () => {
  beforeAll(() => open({}));
  afterAll(close);

  test.each([
    'x-http-method-override',
    'x-http-method',
    'x-method-override',
    '_method',
    'x-original-method',
    'x-forwarded-method',
  ])('keeps its method: %s has no effect', async (name) => {
    const url = `/api/v1/integrations/${(await issue(proxy, {})).json().id}`;
    const headers = { ...admin.headers, [name]: 'DELETE' };
    expect((await service.get(url, headers)).statusCode).toBe(200);
    for (const path of [url, `${url}?_method=DELETE&method=DELETE`])
      expect((await service.inject({ method: 'POST', url: path, headers })).statusCode).toBe(405);
    const head = { ...admin.headers, [name]: 'HEAD' };
    expect((await service.get(url, head)).json()).toHaveProperty('id');
  });

  test.each([
    'x-original-url',
    'x-rewrite-url',
    'x-forwarded-uri',
    'x-forwarded-path',
    'x-forwarded-prefix',
    'x-original-uri',
    'x-envoy-original-path',
    'content-location',
    'referer',
  ])('keeps its address: %s has no effect', async (name) => {
    for (const path of ['/api/v1/users', 'https://evil.example/api/v1/users', '//evil.example', '/../..', '\\\\evil']) {
      const headers = { ...admin.headers, [name]: path };
      const shown = await service.get('/api/v1/session', headers);
      expect(shown.json()).toHaveProperty('csrfToken');
      expect((await service.get('/nowhere', headers)).statusCode).toBe(404);
      expect((await service.get('/', headers)).headers.location).toBe('console/');
    }
  });
});

describe('the Host header', () => {
  beforeAll(() => open({}));
  afterAll(close);

  test('counts, also if the target is absolute and names another host', async () => {
    const { port } = await service.app.listen({ host: '127.0.0.1', port: 0 }).then((url) => new URL(url));
    const body = '{"name":"screen"}';
    const [response] = await exchange(
      Number(port),
      `POST http://evil.example/api/v1/subscriptions HTTP/1.1\r\nHost: widgets.example\r\nConnection: close\r\nCookie: ${admin.cookie}\r\nX-Csrf-Token: ${admin.csrfToken}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(response?.status).toBe(201);
    expect(JSON.parse(response?.body ?? '').url).toMatch(/^http:\/\/widgets\.example\//);
  });

  test.each([
    ['widgets.lan:80', 'http://widgets.lan'],
    ['WIDGETS.lan', 'http://widgets.lan'],
    ['widgets.lan.', 'http://widgets.lan'],
    ['[2001:DB8:0::7]:80', 'http://[2001:db8::7]'],
  ])('%s makes %s the own origin', async (host, origin) => {
    expect((await issue(untrustedPeer, { host, origin })).statusCode).toBe(201);
    const foreign = await issue(untrustedPeer, { host, origin: `${origin}:8080` });
    expectProblem(foreign, { status: 403, code: 'csrf-token-invalid' });
  });

  test.each([
    'a:b:c',
    ':80',
    'a:99999',
    'a:8x',
    '[',
    '[::1',
    '[::g]',
    '%zz',
    'a%20b',
    '1.2.3.999',
    'a/b',
    'a@b',
    'a b',
  ])('gets 400 malformed-request if it cannot begin a URL: %s', async (host) => {
    expectProblem(await issue(untrustedPeer, { host }), { status: 400, code: 'malformed-request' });
  });

  test.each(['localhost', 'widgets.example.com:8443', '127.0.0.1:3000', '[::1]:3000', 'my_host', 'a:'])(
    'begins the returned URL: %s',
    async (host) => {
      const url = await issueUrl(untrustedPeer, { host });
      expect(url.startsWith(`http://${host}/api/v1/events/hooks/wht_`)).toBe(true);
      expect(URL.canParse(url)).toBe(true);
    },
  );
});

/** Every header that some server, proxy or network believes. */
const forgedOrigins: Readonly<Record<string, string>> = {
  forwarded: 'for=198.51.100.7;host=evil.example;proto=https;by=10.0.0.1',
  'x-forwarded-for': '127.0.0.1, 10.0.0.7, 198.51.100.7',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-server': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-protocol': 'https',
  'x-forwarded-scheme': 'https',
  'x-forwarded-ssl': 'on',
  'x-forwarded-port': '443',
  'x-url-scheme': 'https',
  'front-end-https': 'on',
  'x-host': 'evil.example',
  'x-real-ip': '198.51.100.7',
  'x-client-ip': '198.51.100.7',
  'x-cluster-client-ip': '198.51.100.7',
  'x-remote-addr': '198.51.100.7',
  'x-remote-ip': '198.51.100.7',
  'x-originating-ip': '127.0.0.1',
  'true-client-ip': '198.51.100.7',
  'cf-connecting-ip': '198.51.100.7',
  'fastly-client-ip': '198.51.100.7',
  'client-ip': '198.51.100.7',
  'x-azure-clientip': '198.51.100.7',
  via: '1.1 evil.example',
  'x-remote-user': 'admin',
  'x-forwarded-user': 'admin',
  'x-forwarded-email': 'admin@example.com',
  'x-auth-request-user': 'admin',
  'ssl-client-verify': 'SUCCESS',
  'x-ssl-client-dn': 'CN=admin',
  'x-internal': '1',
  'x-debug': '1',
};

describe.each<[string, TrustedProxies, string]>([
  ['no proxy is declared, and the peer is public', null, untrustedPeer],
  ['no proxy is declared, and the peer is private', null, proxy],
  ['no proxy is declared, and the peer is this machine', null, '127.0.0.1'],
  ['there is no proxy', [], untrustedPeer],
  ['there is no proxy, and the peer is private', [], proxy],
  ['the peer is not a declared proxy', ['10.0.0.0/8'], untrustedPeer],
])('if %s, a forged header', (_, trustedProxies, peer) => {
  beforeAll(() => open({ TRUSTED_PROXIES: trustedProxies, limits }));
  afterAll(close);

  test('changes no URL and no origin, alone or with all others', async () => {
    const headers = { ...forgedOrigins, host: 'widgets.example' };
    const alone = Object.entries(forgedOrigins).map(([name, value]) => ({ host: headers.host, [name]: value }));
    for (const given of [headers, ...alone])
      expect(await issueUrl(peer, given)).toMatch(/^http:\/\/widgets\.example\/api/);
    expect((await issue(peer, { ...headers, origin: 'http://widgets.example' })).statusCode).toBe(201);
    for (const origin of ['https://evil.example', 'https://widgets.example']) {
      const foreign = await issue(peer, { ...headers, origin });
      expectProblem(foreign, { status: 403, code: 'csrf-token-invalid' });
    }
  });

  test('authenticates nobody, and is not read, however malformed it is', async () => {
    const request = { method: 'GET', url: '/api/v1/session', remoteAddress: peer } as const;
    expect((await service.inject({ ...request, headers: forgedOrigins })).json().code).toBe('not-authenticated');
    expect(await issueUrl(peer, { 'x-forwarded-host': 'a b', 'x-forwarded-proto': 'ftp' })).toMatch(
      /^http:\/\/internal:8080\//,
    );
  });

  // An undeclared private peer that forwards is a proxy: the clients behind it share a larger bucket, see below.
  test.runIf(trustedProxies !== null || peer === untrustedPeer)(
    'hides no failed sign-in from the limit of the address, and needs no warning',
    async () => {
      const statuses: number[] = [];
      // Every header names another client each time.
      for (let attempt = 0; attempt < 4 * failuresPerAddress; attempt += 1) {
        const headers = JSON.stringify(forgedOrigins).replaceAll('198.51.100.7', `198.51.100.${attempt}`);
        statuses.push((await failSignIn(peer, JSON.parse(headers))).statusCode);
      }
      // Six failures a minute, and one more for each ten seconds that this takes.
      const passed = statuses.filter((status) => status === 403).length;
      expect(passed).toBeGreaterThanOrEqual(failuresPerAddress);
      expect(passed).toBeLessThan(statuses.length / 2);
      expect(statuses.filter((status) => status !== 403 && status !== 429)).toEqual([]);
      expect(listWarnings()).toEqual([]);
    },
  );
});

describe('if no proxy is declared', () => {
  beforeEachOpen({ TRUSTED_PROXIES: null, limits });

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'])(
    'the first %s header of a private peer is logged as one warning, without its value',
    async (name) => {
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

  test('the clients behind a private peer count together, in a bucket ten times as large', async () => {
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

  test('an account has no second failure because a private peer adds a forwarding header', async () => {
    const email = `${randomUUID()}@example.com`;
    const statuses: number[] = [];
    for (const headers of [{}, { 'x-forwarded-for': '198.51.100.4' }, { 'x-forwarded-host': 'widgets.example' }]) {
      statuses.push((await failSignIn(proxy, headers, email)).statusCode);
    }
    expect(statuses).toEqual([403, 429, 429]);
  });

  test('the limit per address applies to a private peer without forwarding headers', async () => {
    expect(await exceedFailures(proxy, () => ({}))).toBe(429);
  });
});

describe.each<[string, TrustedProxies]>([
  ['by its address', ['192.0.2.1', proxy]],
  ['by its network', ['10.0.0.0/8']],
  ['as the only hop', 1],
])('a proxy that is trusted %s', (_, trustedProxies) => {
  beforeEachOpen({ TRUSTED_PROXIES: trustedProxies, limits });

  test('determines the client address that the limit counts', async () => {
    const forwardFrom = (client: string) => () => ({ 'x-forwarded-for': client });
    expect(await exceedFailures(proxy, forwardFrom('198.51.100.1'))).toBe(429);
    expect((await failSignIn(proxy, { 'x-forwarded-for': '198.51.100.2' })).statusCode).toBe(403);
    expect(listWarnings()).toEqual([]);
  });

  test('is not misled by an X-Forwarded-For of the client', async () => {
    const spoofed = (attempt: number) => ({ 'x-forwarded-for': `192.0.2.${50 + attempt}, 198.51.100.3` });
    expect(await exceedFailures(proxy, spoofed)).toBe(429);
  });

  test('determines the scheme and host of returned URLs and of the origin check, in any case', async () => {
    const forwarded = { 'x-forwarded-host': 'widgets.example', 'x-forwarded-proto': 'https' };
    expect(await issueUrl(proxy, forwarded)).toMatch(/^https:\/\/widgets\.example\/api\/v1\/events\/hooks\/wht_/);
    expect((await issue(proxy, { ...forwarded, origin: 'https://widgets.example' })).statusCode).toBe(201);
    expect((await issue(proxy, { ...forwarded, origin: 'http://internal:8080' })).statusCode).toBe(403);
    const upperCase = { 'x-forwarded-host': 'Widgets.Example', 'x-forwarded-proto': 'HTTPS' };
    expect(await issueUrl(proxy, upperCase)).toMatch(/^https:\/\/[Ww]idgets\.[Ee]xample\/api/);
  });
});

describe('a trusted proxy that forwards the client port', () => {
  afterEach(close);

  test.each<[string, TrustedProxies, (port: number) => string]>([
    ['an IPv4 address with a port', [proxy], (port) => `198.51.100.5:${port}`],
    ['an IPv6 address with a port', 1, (port) => `[2001:db8:5:5::1]:${port}`],
    ['an earlier IPv4 proxy with a port', ['10.0.0.0/8'], (port) => `198.51.100.6:${port},10.0.0.9:${port + 1}`],
    ['an earlier IPv6 proxy with a port', [proxy, 'fd12::/16'], (port) => `198.51.100.7, [fd12::9]:${port}`],
    ['an IPv6 address in brackets without a port', [proxy], (port) => `[2001:db8:6:6::${port}]`],
  ])('counts all connections of one client together: %s', async (_, trustedProxies, makeForwardedFor) => {
    await open({ TRUSTED_PROXIES: trustedProxies, limits });
    const connection = (attempt: number) => ({ 'x-forwarded-for': makeForwardedFor(2_000 + attempt) });
    expect(await exceedFailures(proxy, connection)).toBe(429);
    expect((await failSignIn(proxy, { 'x-forwarded-for': '198.51.100.8:2000' })).statusCode).toBe(403);
  });
});

describe('what a trusted proxy passes on', () => {
  beforeAll(() => open({ TRUSTED_PROXIES: [proxy], limits }));
  afterAll(close);

  test.each([
    'widgets.example/path',
    'user@widgets.example',
    'widgets.example:99999',
    'evil.example@widgets.example',
    'widgets.example:80@evil.example',
    'widgets.example/..',
    'widgets.example?x',
    'widgets.example#x',
    'widgets.example\\evil.example',
    'widgets.example, evil.example/x',
    'widgets.example evil.example',
    'widgets.example\tevil',
    'widgets.example%0d%0aX-Forged: 1',
    'w\u00efdgets.example',
    '[::1',
    '[::ffff:1.2.3.4%25eth0]',
    'javascript:alert(1)',
    '"widgets.example"',
    '<script>',
  ])('gets 400 without the sent text for the host %s', async (host) => {
    const response = await issue(proxy, { 'x-forwarded-host': host });
    expectProblem(response, { status: 400, code: 'malformed-request' });
    expect(response.body).not.toContain(host);
  });

  test.each(['javascript', 'data', 'file', 'http://evil.example/', 'https, ftp', 'https,javascript', 'ht\ttp'])(
    'gets 400 for the scheme %s',
    async (scheme) => {
      expectProblem(await issue(proxy, { 'x-forwarded-proto': scheme }), { status: 400, code: 'malformed-request' });
    },
  );

  test('is ignored if it is empty', async () => {
    expect(await issueUrl(proxy, { 'x-forwarded-proto': '' })).toMatch(/^http:\/\/internal:8080\/api/);
  });

  test('may be an unusual or a long X-Forwarded-For', async () => {
    for (const forwardedFor of ['2001:db8:7:7::1', '[2001:db8:7:7::2', '[]:80', ':80', '198.51.100.9:port', ' , ,']) {
      expect((await failSignIn(proxy, { 'x-forwarded-for': forwardedFor })).statusCode).toBe(403);
    }
    const chain = Array.from({ length: 900 }, (_, index) => `10.0.${index % 250}.${index % 250}`).join(', ');
    expect((await issue(proxy, { 'x-forwarded-for': chain })).statusCode).toBe(201);
  });

  test('ends the request if it has a line end', async () => {
    const { port } = await service.app.listen({ host: '127.0.0.1', port: 0 }).then((url) => new URL(url));
    for (const end of ['\n', '\r', '\r\n\t', '\0', '\x0b']) {
      const responses = await exchange(
        Number(port),
        `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-Host: a${end}Set-Cookie: x=y\r\n\r\n`,
      );
      expect(responses.map(({ status }) => status)).toEqual([400]);
      expect(responses[0]?.headers).not.toHaveProperty('set-cookie');
    }
  });
});

function beforeEachOpen(options: TestAppOptions): void {
  beforeEach(() => open(options));
  afterEach(close);
}
