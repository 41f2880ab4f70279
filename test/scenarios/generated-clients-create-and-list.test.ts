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
const programFolder = fileURLToPath(new URL('../foreign-clients/generated-python/', import.meta.url));
const goFolder = fileURLToPath(new URL('../foreign-clients/generated-go/', import.meta.url));
const goGenerator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const hasPython = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0;
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

test.runIf(hasPython)(
  'a Python client that was generated from the OpenAPI document creates and lists widgets',
  async () => {
    const environment = join(folder, 'python');
    const python = join(environment, 'bin', 'python');
    // To install pip into the environment would take longer than all the rest.
    await run('python3', ['-m', 'venv', '--without-pip', environment]);
    const options = ['--quiet', '--no-compile', '--requirement', join(programFolder, 'requirements.txt')];
    await run('python3', ['-m', 'pip', '--python', python, 'install', ...options]);

    const client = join(folder, 'client');
    await run(join(environment, 'bin', 'openapi-python-client'), [
      'generate',
      '--path',
      document,
      '--output-path',
      client,
    ]);

    const credentials = [testAdmin.email, testAdmin.password];
    const { stdout } = await run(python, [join(programFolder, 'program.py'), client, service.url, ...credentials]);
    expect(JSON.parse(stdout)).toMatchObject({
      created: { name: 'lamp', labels: ['hall'], state: 'active', version: 1, retiredAt: null },
      listed: expect.arrayContaining(['lamp']),
    });
  },
);

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
