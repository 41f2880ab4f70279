import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testAdmin } from '../drivers/app/console-client.ts';
import { fetchOpenApiDocument } from '../drivers/app/openapi-document.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';

const run = promisify(execFile);
const goFolder = fileURLToPath(new URL('../foreign-clients/generated-go/', import.meta.url));
const goGenerator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;

const folder = await makeSharedFolder();
let document: string;
let service: ServiceProcess;
beforeAll(async () => {
  service = await startService('api', { DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD: testAdmin.password });
  document = join(folder, 'openapi.json');
  await writeFile(document, JSON.stringify(await fetchOpenApiDocument(service)));
});
afterAll(() => service.stop('SIGKILL'));

test.runIf(hasGo)(
  'a Go client that was generated from the OpenAPI document creates and lists widgets, and reads their events',
  async () => {
    const cwd = join(folder, 'go');
    await cp(goFolder, cwd, { recursive: true });
    await mkdir(join(cwd, 'widgets'));
    await run('go', ['run', goGenerator, '-config', 'oapi-codegen.yaml', document], { cwd });
    await run('go', ['build', '-o', 'program', '.'], { cwd });

    const credentials = [testAdmin.email, testAdmin.password];
    const { stdout } = await run(join(cwd, 'program'), [document, service.url, ...credentials]);
    const { patterns, created, listed, event } = JSON.parse(stdout);
    expect(patterns).toBeGreaterThan(20);
    expect(created).toMatchObject({ name: 'bell', labels: ['hall'], state: 'active', version: 1, retiredAt: null });
    expect(listed).toContain('bell');
    expect(event).toMatchObject({ type: 'widget.created', subject: created.id, data: { widget: { name: 'bell' } } });
  },
);
