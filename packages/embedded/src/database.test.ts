import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, DatabaseInUseError, databaseFileName, openDatabase } from './database.ts';
import { DatabaseTooNewError } from './database-file.ts';

const run = promisify(execFile);

describe('the database', () => {
  let dataDir: string;
  let db: Database;
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'widget-service-database-')), 'made', 'on-the-way');
    db = openDatabase(dataDir);
  });
  afterEach(async () => {
    db.close();
    await rm(join(dataDir, '..', '..'), { recursive: true, force: true });
  });

  const insertUser = (id: string) =>
    db.prepare('INSERT INTO users VALUES (?, ?, ?, 0, ?, 0, NULL)').run(id, id, 'r', 'h');
  const userIds = () =>
    db.read(() =>
      db
        .prepare('SELECT id FROM users ORDER BY id')
        .all()
        .map(({ id }) => id),
    );

  it('refuses a second process, with a message that says what to do', async () => {
    const open = `import { openDatabase } from ${JSON.stringify(new URL('./database.ts', import.meta.url).href)};
      try { openDatabase(process.argv[1]); console.log('opened'); } catch (error) { console.log(error.name, error.message); }`;
    const openElsewhere = () => run(process.execPath, ['--input-type=module', '-e', open, dataDir]);
    const refused = (await openElsewhere()).stdout;
    expect(refused).toContain('DatabaseInUseError');
    expect(refused).toContain(join(dataDir, databaseFileName));
    expect(refused).toContain('one process only');
    db.close();
    expect((await openElsewhere()).stdout).toBe('opened\n');
  });

  it('refuses a second opening in the same process, and takes one after the close', () => {
    expect(() => openDatabase(dataDir)).toThrow(DatabaseInUseError);
    db.close();
    db = openDatabase(dataDir);
  });

  it.each([
    ['is in a file', (place: string) => writeFile(join(place, '..'), '')],
    [
      'has a folder in the place of the file',
      (place: string) => mkdir(join(place, databaseFileName), { recursive: true }),
    ],
  ])('refuses a data directory that %s, by the name of its setting', async (_, spoil) => {
    const place = join(dataDir, 'another', 'place');
    await spoil(place);
    const told = expect.objectContaining({
      exitCode: 78,
      message: expect.stringMatching(/^DATA_DIR: .*place cannot be used/),
    });
    expect(() => openDatabase(place)).toThrow(told);
  });

  it('refuses a file that a newer version wrote', () => {
    db.close();
    const file = new DatabaseSync(join(dataDir, databaseFileName));
    file.exec('PRAGMA user_version = 999');
    file.close();
    expect(() => openDatabase(dataDir)).toThrow(DatabaseTooNewError);
    expect(() => openDatabase(dataDir)).toThrow(expect.objectContaining({ exitCode: 78 }));
  });

  it('is opened so that a commit is on the disk, the log of writes stays short, and the file is ours alone', () => {
    const setting = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(setting('journal_mode')).toBe('wal');
    expect(setting('synchronous')).toBe(2);
    expect(setting('wal_autocheckpoint')).toBe(4096);
    expect(setting('locking_mode')).toBe('exclusive');
    expect(setting('foreign_keys')).toBe(1);
  });

  it('undoes the whole of a write that fails, and none of those around it', async () => {
    const outcomes = await Promise.allSettled([
      db.write(() => insertUser('a')),
      db.write(() => {
        insertUser('b');
        insertUser('a');
      }),
      db.write(() => insertUser('c')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: expect.any(UnstorableError) });
    expect(await userIds()).toEqual(['a', 'c']);
  });

  it('gives other work its turn between long writes', async () => {
    const order: string[] = [];
    const busy = (name: string) =>
      db.write(() => {
        for (const endAt = performance.now() + 10; performance.now() < endAt; );
        order.push(name);
      });
    const writes = [busy('first write'), busy('second write')];
    setImmediate(() => order.push('other work'));
    await Promise.all(writes);
    expect(order).toEqual(['first write', 'other work', 'second write']);
  });

  it('carries out on closing what was asked for before, and refuses what comes after', async () => {
    const before = db.write(() => insertUser('a'));
    db.close();
    await before;
    await expect(db.write(() => insertUser('b'))).rejects.toBeInstanceOf(UnavailableError);
    await expect(userIds()).rejects.toBeInstanceOf(UnavailableError);
    db = openDatabase(dataDir);
    expect(await userIds()).toEqual(['a']);
  });

  it('leaves one file behind when it is closed', async () => {
    await db.write(() => insertUser('a'));
    db.close();
    expect((await stat(join(dataDir, databaseFileName))).size).toBeGreaterThan(0);
    expect(await readdir(dataDir)).toEqual([databaseFileName]);
  });
});
