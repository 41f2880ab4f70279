import { createHmac, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHookSender, type HookEvent } from '@widget-service/client/hooks/hook-sender.ts';
import { expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';

type Headers = Record<string, string>;
type Hook = { readonly id: string; readonly event: HookEvent } | null;
type Adapter = (headers: Headers, body: string, secret: string, findWidgetId: (key: string) => string) => Hook;

const secret = 'a secret of the other service';
const widgetId = randomUUID();
/** A delivery, as the documentation of GitHub shows it. */
const body = JSON.stringify({
  action: 'archived',
  repository: { full_name: 'octo-org/pump', updated_at: '2026-11-25T08:00:00Z' },
});
const headers = {
  'x-github-event': 'repository',
  'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
};

const service = await openSharedService();
const folder = await makeSharedFolder();
const page = await readFile(new URL('../../../docs/clients.md', import.meta.url), 'utf8');
await writeFile(join(folder, 'adapter.mjs'), /^```js adapter\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '');
const { fromGitHub }: { fromGitHub: Adapter } = await import(join(folder, 'adapter.mjs'));
const adapt = (sent: Headers) =>
  fromGitHub(sent, body, secret, (key) => {
    expect(key).toBe('octo-org/pump');
    return widgetId;
  });

test('the adapter of docs/clients.md makes a hook, and one event of a repeated delivery', async () => {
  const sender = createHookSender({ url: await service.issueHookUrl() });
  const hooks = [adapt(headers), adapt(headers)];
  expect(hooks[0]?.event).toMatchObject({ kind: 'retired', widgetId });
  const sent = await Promise.all(hooks.map((hook) => hook && sender.send(hook.event, { id: hook.id })));
  expect(sent[0]?.eventId).toMatch(/^[0-9a-f-]{36}$/);
  expect(sent[1]).toEqual(sent[0]);
});

test('the adapter refuses a delivery that was signed with another secret, or not at all', () => {
  expect(adapt({ ...headers, 'x-hub-signature-256': 'sha256=forged' })).toBeNull();
  expect(adapt({})).toBeNull();
});
