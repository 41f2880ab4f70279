import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-service-directory-'));
});
afterAll(() => rm(folder, { recursive: true }));

const readMode = async (path: string) => (await stat(path)).mode & 0o777;

test('creates the data directory and its parents for the owner alone, whatever the umask', async () => {
  const path = join(folder, 'new', 'folder');
  const umask = process.umask(0);
  try {
    openDatabase(path).close();
  } finally {
    process.umask(umask);
  }
  expect(await readMode(path)).toBe(0o700);
  expect(await readMode(join(path, '..'))).toBe(0o700);
});

test('keeps the mode of a data directory that exists: its files are readable for their owner alone', async () => {
  const path = join(folder, 'shared');
  await mkdir(path);
  await chmod(path, 0o755);
  openDatabase(path).close();
  expect(await readMode(path)).toBe(0o755);
  for (const name of await readdir(path)) expect(await readMode(join(path, name)), name).toBe(0o600);
});
