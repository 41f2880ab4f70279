import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { github, integrationsPath, secret } from '../../drivers/app/source-client.ts';
import { signInThroughPorts } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

// A service that follows its control log: what a request changes must reach the caches of tokens.
const service = await openSharedService();
const admin = await signInThroughPorts(service.backend, 'admin');

async function send(method: string, path: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...admin.headers, origin: service.url },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, string>;
}

/** Posts as GitHub does, and returns `accepted`, `ignored`, or the code of the refusal. */
async function post(url: string, key: string, body = '{"action":"archived"}'): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
      'x-github-delivery': randomUUID(),
    },
    body,
  });
  if (response.status !== 202) return ((await response.json()) as { code: string }).code;
  return response.headers.has('webhook-event-id') ? 'accepted' : 'ignored';
}

const isAnswered = (answer: string, url: string, key: string) =>
  eventually(async () => (await post(url, key)) === answer, `a hook that is signed with ${key} is ${answer}`);

test('replaced secrets apply to the token and to the previous one, also where the old ones are cached', async () => {
  const { id = '', url: previous = '' } = await send('POST', integrationsPath, { name: 'a', source: github });
  expect(await post(previous, secret)).toBe('accepted');
  const rotated = await send('POST', `${integrationsPath}/${id}/rotate`, { secrets: [secret], overlapSeconds: 3_600 });
  const { url = '' } = rotated;
  for (const each of [previous, url]) await isAnswered('accepted', each, secret);
  await send('PUT', `${integrationsPath}/${id}/source/secrets`, {
    secrets: ['the new secret of GitHub', 'the third secret'],
  });
  for (const each of [previous, url]) {
    await isAnswered('accepted', each, 'the new secret of GitHub');
    expect(await post(each, 'the third secret')).toBe('accepted');
    expect(await post(each, secret)).toBe('invalid-hook-signature');
  }
});

test('a changed mapping applies to the requests that follow, and ignored ones are counted', async () => {
  const { id = '', url = '' } = await send('POST', integrationsPath, { name: 'a', source: github });
  expect(await post(url, secret)).toBe('accepted');
  const mapping = { ...github.mapping, kind: { from: '/action', values: { archived: 'ignore' } } };
  await send('PUT', `${integrationsPath}/${id}/source/mapping`, mapping);
  await isAnswered('ignored', url, secret);
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^widget_hooks_ignored_total [1-9]\d*$/m);
  await send('PUT', `${integrationsPath}/${id}/source/mapping`, { kind: { value: 'updated' } });
  await isAnswered('accepted', url, secret);
});

test('samples are kept also where the token is cached', async () => {
  const { id = '', url = '' } = await send('POST', integrationsPath, { name: 'a', source: github });
  expect(await post(url, secret)).toBe('accepted');
  const samples = `${integrationsPath}/${id}/samples`;
  await send('PUT', samples, {});
  await eventually(async () => {
    expect(await post(url, secret, 'no JSON')).toBe('invalid-json');
    const kept = await fetch(`${service.url}${samples}`, { headers: admin.headers });
    return ((await kept.json()) as { items: unknown[] }).items.length > 0;
  }, 'a sample is kept');
});
