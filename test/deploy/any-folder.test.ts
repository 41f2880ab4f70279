import { execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listFiles, root } from './build-context.ts';

const run = promisify(execFile);
const temporary = mkdtempSync(join(tmpdir(), 'widget-folder-'));
/** A checkout as people have it on their desks. */
const checkout = join(temporary, 'Ärger mit Wegen', 'widget service');
const environment = { PATH: process.env.PATH ?? '' };

beforeAll(() => {
  for (const path of listFiles(['apps', 'packages', 'scripts', 'docs', 'LICENSE', 'package.json', 'tsconfig.json'])) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    copyFileSync(join(root, path), join(checkout, path));
  }
  for (const folder of [
    '.',
    ...['apps', 'packages'].flatMap((name) => readdirSync(join(checkout, name)).map((part) => `${name}/${part}`)),
  ]) {
    linkPackages(`${folder}/node_modules`);
  }
});
afterAll(() => rmSync(temporary, { recursive: true }));

/** Links what `npm ci` would install. The links between workspaces stay relative, so they lead to the copy. */
function linkPackages(folder: string): void {
  const names = readFolder(join(root, folder));
  mkdirSync(join(checkout, folder), { recursive: true });
  for (const name of names) {
    const source = join(root, folder, name);
    const target = join(checkout, folder, name);
    if (name !== '@widget-service') symlinkSync(source, target);
    else {
      mkdirSync(target);
      for (const part of readFolder(source)) symlinkSync(readlinkSync(join(source, part)), join(target, part));
    }
  }
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

test('a checkout below a folder with a space and an umlaut builds everything', async () => {
  for (const script of ['scripts/prepare.js', 'scripts/build-client.ts', 'scripts/build-widgetctl.ts']) {
    await run(process.execPath, [script], { cwd: checkout, env: environment });
  }
  const built = [
    'apps/console/dist/index.html',
    'packages/client/dist/lib/index.js',
    'apps/widgetctl/dist/lib/widgetctl.js',
  ];
  for (const path of built) expect(readFileSync(join(checkout, path), 'utf8').length, path).toBeGreaterThan(100);
  const { stdout } = await run(process.execPath, ['apps/widgetctl/dist/lib/widgetctl.js', '--version'], {
    cwd: checkout,
  });
  expect(stdout).toMatch(/\d+\.\d+\.\d+/);
});

test('a service starts there, serves the console, and is backed up', async () => {
  const folder = join(checkout, 'my data');
  const service = spawn(process.execPath, ['apps/api/src/main.ts'], {
    cwd: checkout,
    env: { ...environment, DATA_DIR: folder, PORT: '0', OPS_PORT: '0', DRAIN_DELAY_MS: '0', DRAIN_WINDOW_MS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => service.once('close', resolve));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: service.stdout }).on('line', (line) => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
      ended.then(() => reject(new Error('the service ended')));
    });
    expect((await fetch(`${url}/console/`)).status).toBe(200);
    const copy = join(checkout, 'my copy.sqlite');
    const { stdout } = await run(process.execPath, ['apps/api/src/backup.ts', copy], {
      cwd: checkout,
      env: { ...environment, DATA_DIR: folder },
    });
    expect(stdout).toContain('complete and checked');
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
});

test('no code takes the path of a file from a URL: it would contain %20 for a space', () => {
  const files = listFiles(['apps', 'packages', 'scripts', 'test']).filter((path) => /\.[cm]?[jt]s$/.test(path));
  expect(files.length).toBeGreaterThan(500);
  const found = files.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    // Of the page's own address, or of an address of the service, a path is right.
    return (
      /import\.meta\.url\)\.pathname|import\.meta\.url\.(?:slice|replace|startsWith)|`file:\/\/\$\{/.test(text) ||
      (path.startsWith('scripts/') && text.includes('.pathname'))
    );
  });
  expect(found.filter((path) => path !== 'test/deploy/any-folder.test.ts')).toEqual([]);
});
