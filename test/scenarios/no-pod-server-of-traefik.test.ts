import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isProxyInstalled, type NoPodServer, startNoPodServer } from '../faults/shipped-proxy.ts';

/** As long as a token. */
const token = 'not-a-real-token-but-as-secret-as-one';
const streamPath = `/api/v1/events/widgets/${token}`;
const hookPath = `/api/v1/events/hooks/${token}`;
const hasNginx = isProxyInstalled('nginx');
if (process.env.REQUIRE_BROWSER === '1' && !hasNginx) throw new Error('nginx is missing');

let server: NoPodServer;
let log: string | null = null;
beforeAll(async () => {
  if (hasNginx) server = await startNoPodServer();
});
/** Only the end of the server completes its log. */
async function closeOnce(): Promise<string> {
  log ??= (await server?.close()) ?? '';
  return log;
}
afterAll(closeOnce);

/** The service accepts 16 KiB of headers. */
const longHeaders = { authorization: `Bearer ${'a'.repeat(12 * 1024)}` };
const largeBody = Buffer.alloc(2 * 1024 * 1024);

describe.runIf(hasNginx)('the server that answers for Traefik while no pod runs', () => {
  test.each([
    { what: 'a stream', path: streamPath, headers: {} },
    { what: 'the stream of a session', path: '/api/v1/session/stream?lastEventId=x', headers: {} },
    { what: 'a stream whose headers are as long as the service accepts', path: streamPath, headers: longHeaders },
  ])('$what gets a message that makes the client come back', async ({ path, headers }) => {
    const answer = await fetch(server.url + path, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await answer.text()).toMatch(
      /^event: stream\.closing\ndata: \{"reason":"unavailable"\}\nretry: \d{4,5}\n\n$/,
    );
  });

  test.each([
    { what: 'a hook', body: Buffer.from('{}') },
    { what: 'a hook with a body of 2 MiB', body: largeBody },
  ])('$what gets the problem of the service', async ({ body }) => {
    const answer = await fetch(server.url + hookPath, { method: 'POST', body });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503 });
  });

  test('writes no token into its log', async () => {
    for (const [path, options] of [
      [streamPath, { headers: longHeaders }],
      [hookPath, { method: 'POST', body: largeBody }],
    ] as const) {
      await (await fetch(server.url + path, options)).arrayBuffer();
    }
    expect(await closeOnce()).not.toContain(token);
  });
});
