import { join } from 'node:path';
import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testAdmin } from '../drivers/app/console-client.ts';
import { findNodes, installPackage } from '../drivers/tools/client-package.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../drivers/tools/widgetctl.ts';
import { type Deployment, openEmbeddedDeployment } from '../faults/deployment.ts';

const nodes = await findNodes();

const folder = await makeSharedFolder();
let program: string;
let deployment: Deployment;
let client: WidgetServiceClient;
beforeAll(async () => {
  const files = await installPackage('scripts/build-widgetctl.ts', 'apps/widgetctl/dist', folder);
  expect(files.toSorted()).toEqual(['LICENSE', 'README.md', 'lib/widgetctl.js', 'package.json']);
  program = join(folder, 'node_modules/.bin/widgetctl');
  deployment = await openEmbeddedDeployment();
  client = createClient({ baseUrl: deployment.url });
  await client.signIn(testAdmin);
});
afterAll(() => deployment?.dispose());

const openTool = (node: string, name: string) =>
  new Widgetctl({ folder: join(folder, name), url: deployment.url, program, node });

describe.each(nodes)('on Node $version', ({ path, version }) => {
  test('signs in, creates and lists', async () => {
    const widgetctl = openTool(path, version);
    expect((await widgetctl.run(['--version'])).results).toMatch(/^\d+\.\d+\.\d+\n$/);
    const environment = { WIDGETCTL_PASSWORD: testAdmin.password };
    expect((await widgetctl.run(['login', '--email', testAdmin.email], environment)).code).toBe(0);
    const [created] = await widgetctl.read<{ id: string }>('widgets', 'create', version);
    expect(await widgetctl.read('widgets', 'get', created?.id ?? '')).toEqual([created]);
  });
});

test('tail prints each event once, though the service is killed and tail itself is stopped and started', async () => {
  const widgetctl = openTool(process.execPath, 'tail');
  await widgetctl.run(['login', '--email', testAdmin.email], { WIDGETCTL_PASSWORD: testAdmin.password });
  const command = ['tail', '--json', '--position', join(folder, 'position')];
  const names: string[] = [];
  const create = async (name: string) => {
    names.push(name);
    await client.createWidget({ name });
  };
  const printed: string[] = [];
  for (const part of [1, 2]) {
    // The first start begins now, the second one where the first has ended.
    const tail = widgetctl.start(part === 1 ? [...command, '--from', 'earliest'] : command);
    const readNames = () =>
      [...tail.results().matchAll(/"widget":\{"id":"[^"]*","name":"(part [^"]*)"/g)].map(([, name = '']) => name);
    await create(`part ${part}, before the kill`);
    await eventually(async () => readNames().includes(`part ${part}, before the kill`), 'tail prints the event');
    await deployment.faults['the process is killed and started again']?.();
    await create(`part ${part}, after the kill`);
    await eventually(async () => readNames().includes(`part ${part}, after the kill`), 'tail goes on');
    tail.kill('SIGINT');
    const { code, notes } = await tail.finished;
    expect(code, notes).toBe(130);
    expect(notes).toContain('The stream is interrupted');
    printed.push(...readNames());
    await create(`part ${part}, while tail was stopped`);
  }
  // The last one comes when tail is started again.
  expect(printed).toEqual(names.slice(0, -1));
});
