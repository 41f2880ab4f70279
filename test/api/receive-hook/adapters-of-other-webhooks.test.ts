import { createHmac, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHookSender, type HookEvent } from '@widget-service/client/hooks/hook-sender.ts';
import { describe, expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';

type Headers = Record<string, string>;
type Adapter = (
  headers: Headers,
  body: string,
  secret: string,
  findWidgetId: (key: string) => string,
) => { readonly id: string; readonly event: HookEvent } | null;

const secret = 'a secret of the other service';
const widgetId = randomUUID();
const nowSeconds = Math.floor(Date.now() / 1_000);
const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** One delivery of each service, as its documentation shows it, and what must come of it. */
const deliveries: Record<string, { key: string; kind: string; body: object; headers(body: string): Headers }> = {
  fromGitHub: {
    key: 'octo-org/pump',
    kind: 'retired',
    body: { action: 'archived', repository: { full_name: 'octo-org/pump', updated_at: '2026-11-25T08:00:00Z' } },
    headers: (body) => ({
      'x-github-event': 'repository',
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'x-hub-signature-256': `sha256=${sign(body)}`,
    }),
  },
  fromStripe: {
    key: 'cus_1',
    kind: 'created',
    body: { id: 'evt_1', type: 'customer.created', created: nowSeconds, data: { object: { id: 'cus_1' } } },
    headers: (body) => ({ 'stripe-signature': `t=${nowSeconds},v1=${sign(`${nowSeconds}.${body}`)},v0=other` }),
  },
  fromSlack: {
    key: 'C1',
    kind: 'updated',
    body: { event_id: 'Ev1', event_time: nowSeconds, event: { type: 'channel_rename', channel: { id: 'C1' } } },
    headers: (body) => ({
      'x-slack-request-timestamp': String(nowSeconds),
      'x-slack-signature': `v0=${sign(`v0:${nowSeconds}:${body}`)}`,
    }),
  },
  fromCloudEvents: {
    key: 'pump 7',
    kind: 'retired',
    body: { pressure: 0 },
    headers: () => ({
      authorization: `Bearer ${secret}`,
      'ce-id': 'A 234',
      'ce-source': '/plant/1',
      'ce-type': 'com.example.pump.retired',
      'ce-subject': 'pump 7',
      'ce-time': '2026-11-25T08:00:00Z',
    }),
  },
};

const service = await openSharedService();
const folder = await makeSharedFolder();
const page = await readFile(new URL('../../../docs/clients.md', import.meta.url), 'utf8');
const code = [...page.matchAll(/^```js adapter\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');
await writeFile(join(folder, 'adapters.mjs'), code);
const adapters: Record<string, Adapter> = await import(join(folder, 'adapters.mjs'));

test('docs/clients.md has an adapter for each service', () => {
  expect(Object.keys(adapters).toSorted()).toEqual(Object.keys(deliveries).toSorted());
});

describe.each(Object.entries(deliveries))('%s', (name, { key, kind, body: members, headers }) => {
  const body = JSON.stringify(members);
  const adapt = (sent: Headers, text = body) =>
    adapters[name]?.(sent, text, secret, (found) => {
      expect(found).toBe(key);
      return widgetId;
    }) ?? null;

  test('makes a hook that the service accepts, and one event of a repeated delivery', async () => {
    const sender = createHookSender({ url: await service.issueHookUrl() });
    const [first, second] = [adapt(headers(body)), adapt(headers(body))];
    expect(first?.event).toMatchObject({ kind, widgetId });
    const sent = await Promise.all([first, second].map((hook) => hook && sender.send(hook.event, { id: hook.id })));
    expect(sent[0]?.eventId).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent[1]).toEqual(sent[0]);
  });

  test('refuses a delivery that was signed with another secret, or not at all', () => {
    const forged = Object.fromEntries(
      Object.entries(headers(body)).map(([header, value]) => [
        header,
        value.replace(/(?<=[=v ])[0-9a-z].*$/, 'forged'),
      ]),
    );
    expect(adapt(forged)).toBeNull();
    expect(adapt({})).toBeNull();
  });
});
