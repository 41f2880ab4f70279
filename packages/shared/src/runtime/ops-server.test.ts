import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HealthCheck, type OpsServer, openOpsServer } from './ops-server.ts';

const tail = { name: 'tail', reason: null };
const state = { isStarted: false, checks: [tail] as HealthCheck[] };
const openServer = () => {
  const deps = {
    formatMetrics: async (accept?: string) => ({ text: `accept: ${accept}\n`, contentType: 'text/plain' }),
    updateGauges: () => undefined,
    checks: () => state.checks,
    isStarted: () => state.isStarted,
  };
  return openOpsServer({ ...deps, host: '127.0.0.1', port: 0, allowedHosts: ['widget-api-ops'] });
};
let server: OpsServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server.close());

/** Sends these bytes. Returns the response once the server has closed the connection. */
function exchange(bytes: string): Promise<string> {
  const socket = connect(server.address.port, '127.0.0.1', () => socket.write(bytes));
  return readText(socket);
}

describe('openOpsServer', () => {
  /** Requests exactly this path. `fetch` would normalise it. */
  const request = (path: string, method = 'GET', headers: http.OutgoingHttpHeaders = {}) =>
    new Promise<string>((resolve, reject) => {
      http
        .request({ host: '127.0.0.1', port: server.address.port, path, method, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve(`${response.statusCode} ${text}`));
        })
        .on('error', reject)
        .end();
    });

  test('is live, but neither started nor ready, before the process has started', async () => {
    expect(await request('/livez')).toBe('200 ok\nevent-loop: ok\n');
    expect(await request('/startupz')).toBe('503 failed\nstart: the process is starting\n');
    expect(await request('/readyz?verbose')).toBe('503 failed\nstart: the process is starting\ntail: ok\n');
  });

  test('is ready while no check fails, and names every check with its reason, the failing ones first', async () => {
    state.isStarted = true;
    expect(await request('/startupz')).toBe('200 ok\nstart: ok\n');
    expect(await request('/readyz')).toBe('200 ok\nstart: ok\ntail: ok\n');
    state.checks = [tail, { name: 'hook-consumer', reason: 'two\nlines' }];
    expect(await request('/readyz')).toBe('503 failed\nhook-consumer: two lines\nstart: ok\ntail: ok\n');
    expect(await request('/livez')).toBe('200 ok\nevent-loop: ok\n');
  });

  test.each(['//', '///livez', '/\\', '*', 'http://', 'http://[', '/%', '/constructor'])(
    'answers 404 to the path %s',
    async (path) => expect(await request(path)).toBe('404 not found\n'),
  );

  test('asks for the metrics with the Accept header of the scrape', async () => {
    const url = `http://127.0.0.1:${server.address.port}/metrics`;
    const response = await fetch(url, { headers: { accept: 'application/openmetrics-text' } });
    expect(await response.text()).toBe('accept: application/openmetrics-text\n');
  });

  test.each(['127.0.0.1', '10.1.2.3:8081', '[::1]:8081', 'localhost:8081', hostname(), 'widget-api-ops:8081'])(
    'answers to the host %s',
    async (host) => expect(await request('/livez', 'GET', { host })).toBe('200 ok\nevent-loop: ok\n'),
  );

  test.each(['evil.example', 'evil.example:8081', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'answers 400 to the host %s, which a page of another site may have given this address',
    async (host) => {
      for (const path of ['/metrics', '/readyz', '/livez']) {
        expect(await request(path, 'GET', { host })).toMatch(/^400 .*ALLOWED_HOSTS\n$/);
      }
    },
  );

  test('answers an HTTP/1.0 request without a host, as a load balancer sends it', async () => {
    expect(await exchange('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('lets a browser run nothing of a response, and guess no type', async () => {
    const { headers } = await fetch(`http://127.0.0.1:${server.address.port}/metrics`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  });

  test('shows the reason of a check without control characters', async () => {
    state.checks = [{ name: 'tail', reason: 'a\u009b2Jb\u202ec' }];
    expect(await request('/readyz')).toContain('tail: a\\u009b2Jb\\u202ec\n');
    state.checks = [tail];
  });

  test('answers 405 to methods other than GET and HEAD', async () => {
    expect(await request('/metrics', 'POST')).toBe('405 method not allowed\n');
  });
});

describe('the connections of the ops server', () => {
  test('close after about 5 s if their request does not arrive', async () => {
    const startedAtMs = performance.now();
    const texts = [
      '',
      'GET /livez HTTP/1.1\r\nHost: ',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n',
    ];
    const answers = await Promise.all(texts.map(exchange));
    expect(answers.map((text) => text.split(' ')[1])).toEqual(['408', '408', '405']);
    expect(performance.now() - startedAtMs).toBeGreaterThan(4_000);
  });

  test.each(['', 'GET /livez HTTP/1.1\r\n'])(
    'are at most 64 at once: the oldest without a request (%j) gives way',
    async (text) => {
      const other = await openServer();
      const first = Array.from({ length: 70 }, () =>
        connect(other.address.port, '127.0.0.1', function (this: Socket) {
          this.write(text);
        }).on('error', () => undefined),
      );
      await Promise.all(first.map((socket) => once(socket, 'connect')));
      for (let probe = 0; probe < 10; probe += 1) {
        const { status } = await fetch(`http://127.0.0.1:${other.address.port}/livez`, {
          headers: { connection: 'close' },
        });
        expect(status).toBe(200);
      }
      const isClosed = first.map(({ closed, destroyed }) => closed || destroyed);
      expect(isClosed.filter((each) => each).length).toBeLessThan(20);
      expect(isClosed.indexOf(false)).toBe(isClosed.filter((each) => each).length);
      for (const socket of first) socket.destroy();
      await other.close();
    },
  );
});
