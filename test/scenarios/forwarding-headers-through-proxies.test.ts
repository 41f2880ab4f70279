import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import {
  type Certificate,
  canRunProxy,
  createCertificate,
  shippedProxies,
  startShippedProxy,
} from '../faults/shipped-proxy.ts';

const proxyNames = shippedProxies.filter(canRunProxy);

/** A pod that answers with the headers it received, and is always ready. */
let pod: Server;
const folder = await makeSharedFolder();
let certificate: Certificate;
beforeAll(async () => {
  pod = createServer(({ headers }, response) => response.end(JSON.stringify(headers)));
  await once(pod.listen(0, '127.0.0.1'), 'listening');
  if (proxyNames.length > 0) certificate = await createCertificate(folder);
});
afterAll(async () => {
  pod.closeAllConnections();
  pod.close();
});

/** Returns the status, and the headers that the pod received, or null without a pod. */
async function send(url: string, headers: Record<string, string>) {
  const sent = request(url, { headers, rejectUnauthorized: false, agent: false });
  sent.end();
  const [answer] = await once(sent, 'response');
  if (answer.statusCode === 200 && !/event-stream/.test(answer.headers['content-type'] ?? ''))
    return (await json(answer)) as IncomingHttpHeaders;
  answer.resume();
  return null;
}

describe.runIf(proxyNames.length > 0)('the pod behind a shipped proxy gets no forwarding header of the client', () => {
  test.each(proxyNames)('%s', async (name) => {
    const { port } = pod.address() as AddressInfo;
    const ports = { port, opsPort: port };
    const proxy = await startShippedProxy(name, [ports, ports], certificate);
    try {
      // Traefik listens before it has its certificate and its pods.
      const hasPod = () =>
        send(`${proxy.url}/`, {}).then(
          (received) => received !== null,
          () => false,
        );
      await eventually(hasPod, `${name} has a pod`);
      for (const path of ['/api/v1/widgets', '/api/v1/events/widgets/any', '/api/v1/events/hooks/any']) {
        const received = await send(proxy.url + path, {
          forwarded: 'for=203.0.113.9;host=evil.example;proto=http',
          'x-forwarded-for': '203.0.113.9',
          'x-forwarded-host': 'evil.example',
          'x-forwarded-proto': 'http',
        });
        expect(received, path).toMatchObject({
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-host': new URL(proxy.url).host,
          'x-forwarded-proto': 'https',
        });
        expect(received, path).not.toHaveProperty('forwarded');
      }
    } finally {
      await proxy.close();
    }
  });
});
