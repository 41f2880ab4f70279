import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testAdmin } from '../drivers/console-client.ts';
import { fetchOpenApiDocument } from '../drivers/openapi-document.ts';
import { type ServiceProcess, startService } from '../drivers/service-process.ts';

const run = promisify(execFile);
const programFolder = fileURLToPath(new URL('../foreign-clients/generated-python/', import.meta.url));
const hasPython = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0;

let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-generated-'));
  service = await startService('api', { DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD: testAdmin.password });
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

it.runIf(hasPython)(
  'a Python client that was generated from the OpenAPI document creates and lists widgets',
  async () => {
    const environment = join(folder, 'python');
    const python = join(environment, 'bin', 'python');
    // To install pip into the environment would take longer than all the rest.
    await run('python3', ['-m', 'venv', '--without-pip', environment]);
    const options = ['--quiet', '--no-compile', '--requirement', join(programFolder, 'requirements.txt')];
    await run('python3', ['-m', 'pip', '--python', python, 'install', ...options]);

    const document = join(folder, 'openapi.json');
    await writeFile(document, JSON.stringify(await fetchOpenApiDocument(service)));
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
      listed: ['lamp'],
    });
  },
);
