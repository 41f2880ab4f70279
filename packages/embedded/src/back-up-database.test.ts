import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backUpDatabase } from './back-up-database.ts';
import type { Database } from './database.ts';
import { databaseFileName, openDatabase } from './open-database.ts';

const runFile = promisify(execFile);

describe('an open database', () => {
  let folder: string;
  let dataDir: string;
  let db: Database;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'widget-backup-'));
    dataDir = join(folder, 'data');
    db = openDatabase(dataDir);
  });
  afterEach(async () => {
    db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const insertRow = (id: string) =>
    db.write(() => db.prepare('INSERT INTO watermarks (widget_id, version) VALUES (?, 0)').run(id));
  const readRows = `SELECT group_concat(widget_id, ',') AS ids FROM watermarks`;

  /** Runs SQL on the file in another process, which cannot share this process's connection. */
  async function runElsewhere(sql: string, options: { readonly readOnly: boolean }): Promise<string> {
    const script = `import { DatabaseSync } from 'node:sqlite';
      const db = new DatabaseSync(process.argv[1], ${JSON.stringify(options)});
      console.log(JSON.stringify(db.prepare(process.argv[2]).all()));
      db.close();`;
    const file = join(dataDir, databaseFileName);
    return (await runFile(process.execPath, ['--input-type=module', '-e', script, file, sql])).stdout;
  }

  test('is copied into a folder that does not exist yet, for its owner alone', async () => {
    insertRow('a');
    const target = join(folder, 'backups', 'new', 'monday.sqlite');
    backUpDatabase(dataDir, target);
    expect((await stat(join(folder, 'backups'))).mode & 0o777).toBe(0o700);
    expect((await stat(target)).size).toBeGreaterThan(0);
  });

  test('can be read by another process, which sees every write, and writes go on', async () => {
    await insertRow('a');
    expect(await runElsewhere(readRows, { readOnly: true })).toBe('[{"ids":"a"}]\n');
    await insertRow('b');
    expect(await runElsewhere(readRows, { readOnly: true })).toBe('[{"ids":"a,b"}]\n');
  });

  test('keeps its last writes if a reader is still connected when it closes', async () => {
    await insertRow('a');
    const reader = new DatabaseSync(join(dataDir, databaseFileName), { readOnly: true });
    expect(reader.prepare(readRows).get()).toEqual({ ids: 'a' });
    await insertRow('b');
    db.close();
    reader.close();
    db = openDatabase(dataDir);
    expect(await db.read(() => db.prepare(readRows).get())).toEqual({ ids: 'a,b' });
  });

  test('is copied to a file for its owner alone, with everything that was confirmed before', async () => {
    await insertRow('a');
    const target = join(folder, 'copy.sqlite');
    const bytes = backUpDatabase(dataDir, target);
    await insertRow('b');
    expect(await stat(target)).toMatchObject({ size: bytes, mode: 0o100600 });
    expect((await readdir(folder)).sort()).toEqual(['copy.sqlite', 'data']);
    const restored = join(folder, 'restored');
    await mkdir(restored);
    await copyFile(target, join(restored, databaseFileName));
    const opened = openDatabase(restored);
    expect(await opened.read(() => opened.prepare(readRows).get())).toEqual({ ids: 'a' });
    opened.close();
  });

  test('is copied after it was closed, too', async () => {
    await insertRow('a');
    db.close();
    expect(backUpDatabase(dataDir, join(folder, 'copy.sqlite'))).toBeGreaterThan(0);
    db = openDatabase(dataDir);
  });

  test('is not copied over an existing file, and not from an empty folder', async () => {
    await writeFile(join(folder, 'precious'), 'text');
    expect(() => backUpDatabase(dataDir, join(folder, 'precious'))).toThrow(/exists; name a new file/);
    expect(() => backUpDatabase(folder, join(folder, 'copy'))).toThrow(/^DATA_DIR: .* nothing to back up/);
  });

  test('leaves nothing behind if the copy cannot be written', async () => {
    const target = join(folder, 'data', databaseFileName, 'copy.sqlite');
    expect(() => backUpDatabase(dataDir, target)).toThrow(/could not be written/);
    expect(await readdir(folder)).toEqual(['data']);
  });
});
