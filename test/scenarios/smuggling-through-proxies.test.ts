import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { buildSmugglingBytes, last, smuggled, smugglingAttacks } from '../corpus/smuggled-requests.ts';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { startService } from '../drivers/cluster/service-process.ts';
import { canRunProxy, createCertificate, type ShippedProxy, startShippedProxy } from '../faults/shipped-proxy.ts';

/* The same attacks as in `test/api/bad-input/raw-socket.test.ts`, through the shipped configurations. */

/** Starts a service in this folder, with the credentials of an admin for the hidden requests. */
async function openService(folder: string) {
  const service = await startService('api', {
    DATA_DIR: join(folder, 'data'),
    HOST: '127.0.0.1',
    // The hosts of the ambiguous requests. Their form is tried here, not their name.
    ALLOWED_HOSTS: 'a,b',
    TRUSTED_PROXIES: '127.0.0.1',
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
    API_RATE_PER_SECOND: '0',
  });
  const admin = await signIn(service.url);
  const variables = { editorCookie: admin.cookie, editorCsrf: admin.csrfToken };
  /** How many requests the service has answered. */
  const countRequests = async () => {
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    const counts = [...metrics.matchAll(/^widget_http_requests_total\{.*\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const countSmuggled = async () => {
    const response = await admin.request('GET', '/api/v1/widgets?pageSize=200');
    const { items } = (await response.json()) as { items: { name: string }[] };
    return items.filter(({ name }) => name === 'smuggled').length;
  };
  return { service, variables, countRequests, countSmuggled };
}

/**
 * Sends bytes on a connection of their own. Returns the statuses of all answers until the proxy closes it, or is silent
 * for `silenceMs`.
 */
async function send(proxy: ShippedProxy, bytes: string | Buffer, silenceMs = 1_000): Promise<number[]> {
  const socket = connect({ port: Number(new URL(proxy.url).port), host: '127.0.0.1', rejectUnauthorized: false });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  // Not every proxy closes after every mistake: some wait for the rest of a body.
  socket.setTimeout(silenceMs, () => socket.destroy());
  socket.write(bytes);
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString('latin1');
  return [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
}

/**
 * Sends one request by HTTP/2, which the proxy translates to HTTP/1.1. Returns its status, or null if the proxy or this
 * client ends it without one.
 */
async function sendByHttp2(proxy: ShippedProxy, headers: OutgoingHttpHeaders, body: Buffer): Promise<number | null> {
  const session = connectHttp2(proxy.url, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  try {
    const stream = session.request(headers, { endStream: body.length === 0 });
    const status = new Promise<number | null>((resolve) => {
      stream.once('response', (response) => resolve(response[':status'] ?? null));
      for (const end of ['error', 'close']) stream.once(end, () => resolve(null));
    });
    stream.setTimeout(1_000, () => stream.close());
    stream.resume();
    if (body.length > 0) stream.end(body);
    return await status;
  } finally {
    session.destroy();
  }
}

/** Headers that have no meaning, or another one, in HTTP/2. `{hidden}` is the hidden request. */
const downgrades: Readonly<Record<string, OutgoingHttpHeaders>> = {
  'a length of 0': { ':method': 'POST', ':path': '/api/v1/widgets', 'content-length': '0' },
  'a length of 1': { ':method': 'POST', ':path': '/api/v1/widgets', 'content-length': '1' },
  'a length that is too large': { ':method': 'POST', ':path': '/api/v1/widgets', 'content-length': '5000' },
  'a GET with a body': { ':method': 'GET', ':path': '/nowhere' },
  'a line end in the path': { ':method': 'GET', ':path': '/nowhere HTTP/1.1\r\nHost: a\r\n\r\n{hidden}' },
  'a space in the path': { ':method': 'GET', ':path': '/nowhere HTTP/1.1' },
  'a line end in the method': { ':method': 'GET / HTTP/1.1\r\nHost: a\r\n\r\n{hidden}', ':path': '/nowhere' },
  'a line end in the authority': { ':method': 'GET', ':path': '/nowhere', ':authority': 'a\r\n\r\n{hidden}' },
  'an authority and another host': { ':method': 'GET', ':path': '/nowhere', ':authority': 'a', host: 'b' },
};

const countCreated = (statuses: readonly number[]) => statuses.filter((status) => status === 201).length;

/** An answer that belongs to another request would shift these. */
const honest = [
  ['GET /nowhere', 404],
  ['GET /api/v1/session', 403],
  ['GET /problems', 200],
  ['PUT /problems', 405],
] as const;

// Concurrent, because the attackers mostly wait. Each proxy has a service of its own, whose requests are counted.
describe.concurrent.each(['nginx', 'haproxy'] as const)('%s', (name) => {
  test.runIf(canRunProxy(name))(
    'forwards no hidden request, and gives each client its own answer',
    async ({ onTestFinished }) => {
      const folder = await mkdtemp(join(tmpdir(), 'widget-smuggling-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const { service, variables, countRequests, countSmuggled } = await openService(folder);
      onTestFinished(async () => void (await service.stop('SIGKILL')));
      const ports = { port: Number(new URL(service.url).port), opsPort: Number(new URL(service.opsUrl).port) };
      const proxy = await startShippedProxy(name, [ports, ports], await createCertificate(folder));
      onTestFinished(() => proxy.close());
      const attacks = Object.values(smugglingAttacks).flat();
      let creates = await countSmuggled();
      // A few at once, so that the proxy shares connections to the service between attackers and honest clients.
      let next = 0;
      const runClient = async () => {
        for (let index = next++; index < attacks.length; index = next++) {
          const { name: attack, bytes } = attacks[index]!;
          // On a busy machine, an attacker who left sooner would miss its own answer.
          const created = countCreated(await send(proxy, buildSmugglingBytes(bytes, variables), 3_000));
          creates += created;
          for (const [line, status] of honest) {
            const request = `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
            // The proxy closes the connection after the answer, however late that is.
            expect(await send(proxy, request, 30_000), `${line} after ${attack}`).toEqual([status]);
          }
        }
      };
      await Promise.all(Array.from({ length: 12 }, runClient));
      // A proxy may read the bytes as two requests, and forward both: then its client gets both answers.
      expect(await countSmuggled()).toBe(creates);

      // One after the other: the service sees no more requests than the client of the proxy gets answers. An answer to
      // HTTP/0.9 has no status.
      for (const { name: attack, bytes } of attacks) {
        const before = await countRequests();
        const answers = await send(proxy, buildSmugglingBytes(bytes, variables));
        expect((await countRequests()) - before, attack).toBeLessThanOrEqual(Math.max(1, answers.length));
      }
      const hidden = buildSmugglingBytes(smuggled, variables);
      expect(await sendByHttp2(proxy, { ':path': '/nowhere' }, Buffer.alloc(0))).toBe(404);
      for (const [attack, headers] of Object.entries(downgrades)) {
        const filled = Object.entries(headers).map(([name, value]) => [
          name,
          String(value).replace('{hidden}', hidden.toString('latin1')),
        ]);
        const before = await countRequests();
        const status = await sendByHttp2(proxy, Object.fromEntries(filled), hidden).catch(() => null);
        expect(status, attack).not.toBe(201);
        expect((await countRequests()) - before, attack).toBeLessThanOrEqual(1);
      }
      const created = await countSmuggled();
      expect(await send(proxy, buildSmugglingBytes(`${smuggled}${last}`, variables))).toEqual([201, 404]);
      expect(await countSmuggled()).toBe(created + 1);
    },
  );
});
