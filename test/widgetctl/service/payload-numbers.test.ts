import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../../drivers/tools/widgetctl.ts';

const payload = '{"a":12345678901234567890,"b":1e400,"c":0.10,"d":-0,"e":[1.0,3]}';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const folder = await makeSharedFolder();
const widgetctl = new Widgetctl({ folder, url: service.url });
await widgetctl.run(['login', '--email', testAdmin.email], { WIDGETCTL_PASSWORD: testAdmin.password });
const [integration] = await widgetctl.read<{ id: string; url: string }>('integrations', 'create', 'numbers');
const [widget] = await widgetctl.read<{ id: string }>('widgets', 'create', 'scale');
const integrationId = integration?.id ?? '';
const hookUrl = `${service.url}${new URL(integration?.url ?? '').pathname}`;
const widgetId = widget?.id ?? '';

async function readTail(...options: string[]): Promise<string> {
  // The widget's creation, and five hooks.
  return (await widgetctl.run(['tail', '--from', 'earliest', '--widget', widgetId, '--limit', '6', ...options]))
    .results;
}

test('a payload keeps every digit of its numbers, in every command that sends or shows it', async () => {
  const file = join(folder, 'payload.json');
  await writeFile(file, payload);
  const environment = { WIDGETCTL_HOOK_URL: hookUrl };
  const send = async (given: string, input?: string) => {
    const args = ['hooks', 'send', '--widget', widgetId, '--payload', given, '--json'];
    const { code, results, notes } = await widgetctl.run(args, environment, input);
    expect(code, notes).toBe(0);
    return JSON.parse(results).eventId as string;
  };
  const eventId = await send(payload);
  await send(`@${file}`);
  await send('-', payload);

  const hook = `{"kind":"updated","occurredAt":"2026-01-01T00:00:00Z","widgetId":"${widgetId}","payload":${payload}}`;
  const replay = (line: string, ...options: string[]) =>
    widgetctl.run(['hooks', 'replay', '-', ...options], environment, line);
  expect((await replay(hook)).code).toBe(0);

  const shown = await widgetctl.run(['deliveries', 'get', integrationId, eventId]);
  expect(shown.results).toContain(`Payload     ${payload}\n`);
  const recorded = await widgetctl.run(['deliveries', 'get', integrationId, eventId, '--json']);
  expect(recorded.results).toContain(`"payload":${payload}`);
  expect((await replay(recorded.results, '--as-new')).code).toBe(0);

  expect((await readTail()).split(payload)).toHaveLength(6);
  expect((await readTail('--json')).split(`"payload":${payload}`)).toHaveLength(6);
});
