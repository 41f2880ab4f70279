import { listenPublicly, type PublicListener } from '@widget-service/api/http/create-server.ts';
import { resolveListenHost } from '@widget-service/shared/runtime/listen-addresses.ts';
import { afterEach, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestAppOptions } from '../../drivers/app/test-app.ts';

let service: TestApp;
let listener: PublicListener;
afterEach(async () => {
  await listener.close();
  await service.close();
});

/** Opens a service on all addresses. Returns the URL by which a client that uses IPv4 calls it. */
async function open(options: TestAppOptions): Promise<string> {
  service = await openTestApp(options);
  listener = await listenPublicly(service.app, await resolveListenHost('::'), 0);
  return `http://127.0.0.1:${listener.address.port}`;
}

test('a client that uses IPv4 has its IPv4 address in log lines', async () => {
  const url = await open({ TRUSTED_PROXIES: [] });
  await fetch(`${url}/api/v1/events/hooks/unknown`, { method: 'POST', body: '{}' });
  expect(service.logLines.join('')).toContain('"clientAddress":"127.0.0.1"');
  expect(service.logLines.join('')).not.toContain('::ffff');
});

test('a proxy that uses IPv4 is trusted by its IPv4 address', async () => {
  const url = await open({ TRUSTED_PROXIES: ['127.0.0.1/32'] });
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  await fetch(`${url}/api/v1/events/hooks/unknown`, { method: 'POST', body: '{}', headers });
  expect(service.logLines.join('')).toContain('"clientAddress":"198.51.100.7"');
});

test('the warning about a proxy that is not declared names its IPv4 address', async () => {
  const url = await open({});
  await fetch(`${url}/api/v1/session`, { headers: { 'x-forwarded-for': '198.51.100.7' } });
  expect(service.logLines.join('')).toContain('"peer":"127.0.0.1"');
});
