import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWidgets, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';

const folder = await makeSharedFolder();
let service: ServiceProcess;
let intactContent: Buffer;
let widgetIds: string[];
const file = () => join(folder, 'widget-service.sqlite');
const start = () =>
  startService('api', {
    DATA_DIR: folder,
    ADMIN_PASSWORD: testAdmin.password,
    DRAIN_DELAY_MS: '0',
    DRAIN_WINDOW_MS: '0',
  });

beforeAll(async () => {
  service = await start();
});
afterAll(() => service.stop('SIGKILL'));

test('a start on a damaged file exits with 78 and changes nothing; an intact copy restores every widget', async () => {
  widgetIds = await createWidgets(await signIn(service.url), 20);
  expect(await service.stop()).toBe(0);
  intactContent = await readFile(file());

  const damaged = Buffer.from(intactContent);
  const middle = Math.floor(intactContent.length / 8_192) * 4_096;
  damaged.fill(0xa5, middle, middle + 512);
  for (const [content, problem] of [
    [damaged, 'is damaged'],
    [intactContent.subarray(0, middle), 'is damaged'],
    [Buffer.from('Not what it seems to be.\n'), 'is not a database of this service'],
  ] as const) {
    await writeFile(file(), content);
    await expect(start()).rejects.toThrow(
      new RegExp(`ended with 78.*"message":"[^"]*${problem}[^"]*Nothing in it was changed. Move it away`, 's'),
    );
    expect((await readFile(file())).equals(content)).toBe(true);
  }

  await writeFile(file(), intactContent);
  service = await start();
  expect(await listWidgetIds()).toEqual(new Set(widgetIds));
});

test('after kill -9, replacing the file and removing its WAL restores exactly the state of the copy', async () => {
  await createWidgets(await signIn(service.url), 20);
  await service.stop('SIGKILL');
  const leftFiles = await readdir(folder);
  expect(leftFiles).toContain('widget-service.sqlite-wal');
  await Promise.all(leftFiles.map((name) => rm(join(folder, name))));
  await writeFile(file(), intactContent);
  service = await start();
  expect(await listWidgetIds()).toEqual(new Set(widgetIds));
});

async function listWidgetIds(): Promise<Set<string>> {
  const listed = await (await signIn(service.url)).request('GET', '/api/v1/widgets?pageSize=100');
  const { items } = (await listed.json()) as { items: { id: string }[] };
  return new Set(items.map(({ id }) => id));
}
