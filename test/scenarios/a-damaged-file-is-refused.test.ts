import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn, testAdmin } from '../drivers/console-client.ts';
import { type ServiceProcess, startService } from '../drivers/service-process.ts';
import { createWidgets } from '../drivers/traffic.ts';

let folder: string;
let service: ServiceProcess;
let good: Buffer;
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
  folder = await mkdtemp(join(tmpdir(), 'widget-embedded-'));
  service = await start();
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

it('ends the start with 78 and leaves the file as it is; a good copy in its place, and all is there', async () => {
  widgetIds = await createWidgets(await signIn(service.url), 20);
  expect(await service.stop()).toBe(0);
  good = await readFile(file());

  const damaged = Buffer.from(good);
  const middle = Math.floor(good.length / 8_192) * 4_096;
  damaged.fill(0xa5, middle, middle + 512);
  for (const [content, told] of [
    [damaged, 'is damaged'],
    [good.subarray(0, middle), 'is damaged'],
    [Buffer.from('Not what it seems to be.\n'), 'is not a database of this service'],
  ] as const) {
    await writeFile(file(), content);
    await expect(start()).rejects.toThrow(
      new RegExp(`ended with 78.*"message":"[^"]*${told}[^"]*Nothing in it was changed. Move it away`, 's'),
    );
    expect((await readFile(file())).equals(content)).toBe(true);
  }

  await writeFile(file(), good);
  service = await start();
  expect(await listedIds()).toEqual(new Set(widgetIds));
});

it('what a killed process left beside the file goes with it: then a copy that is put back is what comes back', async () => {
  await createWidgets(await signIn(service.url), 20);
  await service.stop('SIGKILL');
  const left = await readdir(folder);
  expect(left).toContain('widget-service.sqlite-wal');
  await Promise.all(left.map((name) => rm(join(folder, name))));
  await writeFile(file(), good);
  service = await start();
  expect(await listedIds()).toEqual(new Set(widgetIds));
});

async function listedIds(): Promise<Set<string>> {
  const listed = await (await signIn(service.url)).request('GET', '/api/v1/widgets?pageSize=100');
  const { items } = (await listed.json()) as { items: { id: string }[] };
  return new Set(items.map(({ id }) => id));
}
