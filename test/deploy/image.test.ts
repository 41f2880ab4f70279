import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../drivers/tools/free-port.ts';
import { isIgnored, listFiles, root } from './build-context.ts';
import { type BuiltImage, readInstructions, runDockerfile } from './run-dockerfile.ts';

const temporary = mkdtempSync(join(tmpdir(), 'widget-image-'));
afterAll(() => rmSync(temporary, { recursive: true }));
let image: BuiltImage;
beforeAll(() => {
  image = runDockerfile(temporary);
}, 120_000);

function isTest(path: string): boolean {
  return path.includes('.test.') || path.split('/').includes('testing');
}

/** Returns the names of the packages in `node_modules` of the image, apart from the links to its own workspaces. */
function listInstalledPackages(): string[] {
  const modules = join(image.folder, 'node_modules');
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((part) => `${name}/${part}`) : [name],
    )
    .filter((name) => !name.startsWith('@widget-service/'));
}

test('the image contains no test, no fake and no file of a developer', () => {
  const files = readdirSync(image.folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith('node_modules'),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter(isTest)).toEqual([]);
  expect(readdirSync(image.folder).sort()).toEqual([
    'apps',
    'compile-cache',
    'docs',
    'node_modules',
    'package.json',
    'packages',
  ]);
  // The runbooks, which the service serves.
  expect(readdirSync(`${image.folder}/docs`)).toEqual(['runbooks']);
  expect(files.some((path) => path === 'docs/runbooks/dead-letters.md')).toBe(true);
  expect(files.some((path) => path === 'apps/console/dist/manifest.webmanifest')).toBe(true);
});

test('the image contains every other source file of its apps and packages', () => {
  const workspaces = ['apps/api', 'apps/worker', 'packages/shared', 'packages/embedded', 'packages/cluster'];
  const product = listFiles(workspaces).filter((path) => !path.endsWith('/turbo.json') && !isTest(path));
  expect(product.length).toBeGreaterThan(300);
  expect(product.filter((path) => !existsSync(join(image.folder, path)))).toEqual([]);
});

test.each([
  '.env',
  'data/widget-service.sqlite',
  'notes.txt',
  'apps/api/.env',
  'apps/api/src/.env.local',
  'apps/api/src/hooks/captured-hooks.json',
  'apps/api/node_modules/left-pad/index.js',
  'apps/api/src/main.ts~',
  'packages/shared/src/domain/key.pem',
  'deploy/k8s/components/secrets/stores.env',
])('a stray %s is not in the context of the build', (path) => {
  expect(isIgnored(path)).toBe(true);
});

test('the image contains only packages that the apps need', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true }>;
  };
  const installed = listInstalledPackages();
  expect(installed.length).toBeGreaterThan(50);
  expect(installed.filter((name) => lock.packages[`node_modules/${name}`]?.dev)).toEqual([]);
  for (const name of ['vitest', 'vite', 'typescript', 'rolldown', 'lightningcss', 'testcontainers', 'fast-check']) {
    expect(installed).not.toContain(name);
  }
  const mebibytes = Number(execFileSync('du', ['-sm', image.folder], { encoding: 'utf8' }).split('\t')[0]);
  console.log(`the image adds ${mebibytes} MiB to its base: ${installed.length} packages`);
  expect(mebibytes).toBeLessThan(90);
});

test('the image runs as a user other than root, names its base once, and has labels', () => {
  const instructions = readInstructions();
  const bases = instructions.filter(({ keyword }) => keyword === 'FROM').map(({ text }) => text.split(' ')[0]);
  expect(bases.filter((base) => base !== 'app' && !base?.includes('{NODE_IMAGE}'))).toEqual([]);
  const nodeVersion = readFileSync(join(root, '.node-version'), 'utf8').trim();
  expect(instructions[0]?.text.split('@')[0]).toBe(`NODE_IMAGE=node:${nodeVersion}-bookworm-slim`);
  expect(instructions.findLast(({ keyword }) => keyword === 'USER')?.text).toBe('1000:1000');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(instructions).toContainEqual({ keyword: 'ARG', text: `VERSION=${version}` });
  expect(instructions.find(({ keyword }) => keyword === 'LABEL')?.text).toContain('org.opencontainers.image.version=');
});

test('the default command starts the embedded service, which becomes ready, passes the health check and drains', async () => {
  const opsPort = await freePort();
  const environment = { ...image.environment, PORT: '0', OPS_PORT: String(opsPort), DRAIN_DELAY_MS: '0' };
  const child = startInImage(image.command, { ...environment, DATA_DIR: join(temporary, 'data') });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const { public: address } = JSON.parse(await waitForLine(child, exited, '"listening"')) as { public: AddressInfo };
  expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${address.port}/console/`)).status).toBe(200);
  expect(runInImage(image.healthcheck, environment).status).toBe(0);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  expect(runInImage(image.healthcheck, environment).status).toBe(1);
});

test('as process 1, a starting api and the migration stop at SIGTERM', async ({ skip }) => {
  const isolate = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
  if (runInImage([...isolate, 'true'], {}).status !== 0) skip('unshare cannot make a process namespace here');
  const stop = async (command: readonly string[]) => {
    // A MongoDB that never answers: the process waits for it. The first connection shows that the code has been loaded.
    const mongodb = createServer();
    await once(mongodb.listen(0, '127.0.0.1'), 'listening');
    const { port } = mongodb.address() as AddressInfo;
    const stores = { MONGODB_URL: `mongodb://127.0.0.1:${port}/`, REDIS_URL: 'redis://127.0.0.1:1/' };
    const contacted = once(mongodb, 'connection');
    const child = startInImage([...isolate, ...command], { ...image.environment, ...stores, OPS_PORT: '0', PORT: '0' });
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    await contacted;
    const startedAt = performance.now();
    const processOne = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    process.kill(Number(processOne), 'SIGTERM');
    const exitCode = await exited;
    mongodb.close();
    expect(performance.now() - startedAt, command.join(' ')).toBeLessThan(5_000);
    return exitCode;
  };
  const worker = ['node', 'apps/worker/src/main.ts'];
  const migration = ['node', 'apps/worker/src/migrate.ts'];
  expect(await Promise.all([stop(image.command), stop(worker), stop(migration)])).toEqual([0, 0, 143]);
});

/** Returns the options of a process whose `node` is this process's, because the PATH may begin with another one. */
function toSpawnOptions(environment: Readonly<Record<string, string>>) {
  return { cwd: image.folder, env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, ...environment } };
}

function startInImage([program, ...args]: readonly string[], environment: Readonly<Record<string, string>>) {
  return spawn(program!, args, { ...toSpawnOptions(environment), stdio: ['ignore', 'pipe', 'inherit'] });
}

function runInImage(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): SpawnSyncReturns<Buffer> {
  return spawnSync(command[0]!, command.slice(1), toSpawnOptions(environment));
}

async function waitForLine(
  child: ReturnType<typeof startInImage>,
  exited: Promise<number | null>,
  text: string,
): Promise<string> {
  const found = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes(text) && resolve(line));
  });
  const line = await Promise.race([found, exited]);
  if (typeof line !== 'string') throw new Error(`the process ended with ${line} before it printed ${text}`);
  return line;
}
