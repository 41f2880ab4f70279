import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HealthCheck, type OpsServer, openOpsServer } from './ops-server.ts';

describe('openOpsServer', () => {
  const tail = { name: 'tail', reason: null };
  const state = { isStarted: false, checks: [tail] as HealthCheck[] };
  let server: OpsServer;
  beforeAll(async () => {
    const deps = {
      formatMetrics: async (accept?: string) => ({ text: `accept: ${accept}\n`, contentType: 'text/plain' }),
      updateGauges: () => undefined,
      checks: () => state.checks,
      isStarted: () => state.isStarted,
    };
    server = await openOpsServer(deps, '127.0.0.1', 0);
  });
  afterAll(() => server.close());

  /** Requests exactly this path. `fetch` would normalise it. */
  const request = (path: string, method = 'GET') =>
    new Promise<string>((resolve, reject) => {
      http
        .request({ host: '127.0.0.1', port: server.address.port, path, method }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve(`${response.statusCode} ${text}`));
        })
        .on('error', reject)
        .end();
    });

  it('is live, but neither started nor ready, before the process has started', async () => {
    expect(await request('/livez')).toBe('200 ok\nevent-loop: ok\n');
    expect(await request('/startupz')).toBe('503 failed\nstart: the process is starting\n');
    expect(await request('/readyz?verbose')).toBe('503 failed\nstart: the process is starting\ntail: ok\n');
  });

  it('is ready while no check fails, and names every check with its reason, the failing ones first', async () => {
    state.isStarted = true;
    expect(await request('/startupz')).toBe('200 ok\nstart: ok\n');
    expect(await request('/readyz')).toBe('200 ok\nstart: ok\ntail: ok\n');
    state.checks = [tail, { name: 'hook-consumer', reason: 'two\nlines' }];
    expect(await request('/readyz')).toBe('503 failed\nhook-consumer: two lines\nstart: ok\ntail: ok\n');
    expect(await request('/livez')).toBe('200 ok\nevent-loop: ok\n');
  });

  it.each(['//', '///livez', '/\\', '*', 'http://', 'http://[', '/%', '/constructor'])(
    'answers 404 to the path %s',
    async (path) => expect(await request(path)).toBe('404 not found\n'),
  );

  it('asks for the metrics with the Accept header of the scrape', async () => {
    const url = `http://127.0.0.1:${server.address.port}/metrics`;
    const response = await fetch(url, { headers: { accept: 'application/openmetrics-text' } });
    expect(await response.text()).toBe('accept: application/openmetrics-text\n');
  });

  it('answers 405 to methods other than GET and HEAD', async () => {
    expect(await request('/metrics', 'POST')).toBe('405 method not allowed\n');
  });
});
