import { request } from 'node:http';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpsServer, openOpsServer } from './ops-server.ts';

describe('the operators’ server', () => {
  const state = { isStarted: false, problems: [] as string[] };
  let server: OpsServer;
  beforeAll(async () => {
    const deps = {
      registry: new Registry(),
      problems: () => state.problems,
      isStarted: () => state.isStarted,
    };
    server = await openOpsServer(deps, '127.0.0.1', 0);
  });
  afterAll(() => server.close());

  /** The path exactly as it is given: `fetch` would tidy it up. */
  const ask = (path: string, method = 'GET') =>
    new Promise<string>((resolve, reject) => {
      request({ host: '127.0.0.1', port: server.address.port, path, method }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve(`${response.statusCode} ${text}`));
      })
        .on('error', reject)
        .end();
    });

  it('lives, and is neither started nor ready before it has come up', async () => {
    expect(await ask('/livez')).toBe('200 ok\n');
    expect(await ask('/startupz')).toBe('503 starting\n');
    expect(await ask('/readyz?verbose')).toBe('503 starting\n');
  });

  it('is ready without problems, and names those it has', async () => {
    state.isStarted = true;
    expect(await ask('/startupz')).toBe('200 ok\n');
    expect(await ask('/readyz')).toBe('200 ok\n');
    state.problems = ['event-tail'];
    expect(await ask('/readyz')).toBe('503 event-tail\n');
  });

  it.each(['//', '///livez', '/\\', '*', 'http://', 'http://[', '/%', '/constructor'])(
    'answers 404 to the path %s',
    async (path) => expect(await ask(path)).toBe('404 not found\n'),
  );

  it('answers 405 to what is no reading', async () => {
    expect(await ask('/metrics', 'POST')).toBe('405 method not allowed\n');
  });
});
