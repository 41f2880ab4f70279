import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DatabaseTooNewError, DatabaseUnusableError, migrate } from './database-file.ts';
import { databaseFileName, openDatabase } from './open-database.ts';

const pageBytes = 4096;

describe('the lineage of a file', () => {
  const change = async (sql: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'widget-service-lineage-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    openDatabase(folder).close();
    const db = new DatabaseSync(join(folder, databaseFileName));
    db.exec(sql);
    db.close();
    return folder;
  };

  test.each([
    ['none', 0],
    ['that of development versions', 0x57646774],
  ])('is refused with the true reason if its id is another one: %s', async (_, id) => {
    const folder = await change(`PRAGMA application_id = ${id}`);
    expect(() => openDatabase(folder)).toThrow('was written by a development version');
  });
});

const readMode = async (path: string) => (await stat(path)).mode & 0o777;

describe('opening a database file', () => {
  let folder: string;
  let goodContent: Buffer;
  let dataDir: string;
  let file: string;
  let testNumber = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'widget-service-inspect-'));
    const db = openDatabase(join(folder, 'good'));
    const insert = db.prepare('INSERT INTO watermarks (widget_id, version) VALUES (?, 0)');
    await db.write(() => {
      for (let id = 0; id < 500; id += 1) insert.run(`${id} ${'h'.repeat(130)}`);
    });
    db.close();
    goodContent = await readFile(join(folder, 'good', databaseFileName));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    testNumber += 1;
    dataDir = join(folder, `${testNumber}`);
    await cp(join(folder, 'good'), dataDir, { recursive: true });
    file = join(dataDir, databaseFileName);
  });

  const flipBytes = (start: number, count: number) => {
    const damaged = Buffer.from(goodContent);
    for (let index = start; index < start + count; index += 1) damaged[index] = (damaged[index] ?? 0) ^ 0xff;
    return damaged;
  };

  function catchOpenError(): unknown {
    try {
      openDatabase(dataDir).close();
      return null;
    } catch (error) {
      return error;
    }
  }

  async function expectUnusable(message: RegExp): Promise<void> {
    const before = await readFile(file);
    const error = catchOpenError();
    expect(error).toBeInstanceOf(DatabaseUnusableError);
    expect(error).toMatchObject({ exitCode: 78, message: expect.stringMatching(message) });
    expect(error).toMatchObject({ message: expect.stringContaining(`${file} `) });
    expect(error).toMatchObject({ message: expect.stringContaining('Nothing in it was changed') });
    expect((await readFile(file)).equals(before)).toBe(true);
  }

  test.each([
    ['in its first bytes', 0, 16],
    ['in its page size', 16, 2],
    ['in the rest of its header', 18, 20],
    ['in its list of tables', 100, 40],
  ])('fails and leaves the file unchanged if the file is damaged %s', async (_, start, count) => {
    await writeFile(file, flipBytes(start, count));
    await expectUnusable(/not a database of this service|is damaged/);
  });

  test('fails and leaves the file unchanged if any page is damaged', async () => {
    for (let start = pageBytes; start < goodContent.length; start += pageBytes) {
      await writeFile(file, flipBytes(start, 64));
      await expectUnusable(/is damaged/);
    }
  });

  test.each([1, 2, 3])('fails and leaves the file unchanged if the file ends after %i pages', async (pages) => {
    await truncate(file, pages * pageBytes);
    await expectUnusable(/is damaged/);
  });

  test.each([
    ['a text', Buffer.from('Dear diary, this is no database.\n')],
    ['random bytes', Buffer.from(Array.from({ length: 3 * pageBytes }, (_, index) => (index * 7919) % 251))],
  ])('fails and leaves the file unchanged if the file is %s', async (_, content) => {
    await writeFile(file, content);
    await expectUnusable(/not a database of this service/);
  });

  test.each([0, 3])(
    'fails and leaves the database of another program, with user_version %i, unchanged',
    async (version) => {
      await rm(file);
      const other = new DatabaseSync(file);
      other.exec(`CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine'); PRAGMA user_version = ${version}`);
      other.close();
      await expectUnusable(/not a database of this service/);
    },
  );

  test.each([
    ['a new directory', 'new'],
    ['a file that others could read', '.'],
  ])('lets only the owner read its files, whatever the umask, with %s', async (_, subfolder) => {
    await chmod(file, 0o666);
    dataDir = join(dataDir, subfolder);
    const umask = process.umask(0);
    try {
      const db = openDatabase(dataDir);
      onTestFinished(() => db.close());
      await db.write(() => undefined);
    } finally {
      process.umask(umask);
    }
    const names = (await readdir(dataDir)).filter((name) => name.startsWith(databaseFileName));
    expect(names).toContain(`${databaseFileName}-wal`);
    const modes = await Promise.all(names.map(async (name) => (await stat(join(dataDir, name))).mode & 0o777));
    expect(modes).toEqual(names.map(() => 0o600));
  });

  test('fails if a newer version of the service wrote the file', () => {
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 999');
    db.close();
    const error = catchOpenError();
    expect(error).toBeInstanceOf(DatabaseTooNewError);
    expect(error).toMatchObject({ exitCode: 78 });
  });

  describe('migrate', () => {
    const listTables = (db: DatabaseSync) =>
      db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map((row) => row.name);

    async function openWithSteps(...steps: string[]) {
      const folderOfSteps = join(folder, `steps-${testNumber}`);
      await mkdir(folderOfSteps);
      for (const [index, sql] of steps.entries()) await writeFile(join(folderOfSteps, `00${index + 1}-step.sql`), sql);
      const db = new DatabaseSync(':memory:');
      onTestFinished(() => db.close());
      return { db, directory: pathToFileURL(`${folderOfSteps}/`) };
    }

    test('applies each step once, and keeps what the file has', async () => {
      const { db, directory } = await openWithSteps(
        'CREATE TABLE a (n INTEGER) STRICT',
        'ALTER TABLE a ADD COLUMN m INTEGER NOT NULL DEFAULT 7',
      );
      db.exec('CREATE TABLE a (n INTEGER) STRICT; INSERT INTO a VALUES (1); PRAGMA user_version = 1');
      for (let start = 0; start < 2; start += 1) {
        migrate(db, directory);
        expect(db.prepare('SELECT * FROM a').all()).toEqual([{ n: 1, m: 7 }]);
        expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
      }
    });

    test('undoes a step that fails, and keeps the steps before it', async () => {
      const { db, directory } = await openWithSteps('CREATE TABLE a (n)', 'CREATE TABLE b (n); CREATE TABLE a (n)');
      expect(() => migrate(db, directory)).toThrow(/already exists/);
      expect(listTables(db)).toEqual(['a']);
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    });
  });

  test('applies the schema to an empty file', async () => {
    await writeFile(file, '');
    openDatabase(dataDir).close();
  });

  test('reads the last writes of a file that was not closed from the write-ahead log beside it', async () => {
    await rm(dataDir, { recursive: true });
    const db = openDatabase(dataDir);
    const insert = db.prepare('INSERT INTO watermarks (widget_id, version) VALUES (?, 0)');
    await db.write(() => insert.run('a'));
    const copy = `${dataDir}-copy`;
    await cp(dataDir, copy, { recursive: true });
    db.close();
    const opened = openDatabase(copy);
    expect(await opened.read(() => opened.prepare('SELECT widget_id AS id FROM watermarks').all())).toEqual([
      { id: 'a' },
    ]);
    opened.close();
  });

  test('calls onFatal if the file is damaged while it is open', async () => {
    const fatalErrors: Error[] = [];
    const db = openDatabase(dataDir, (error) => fatalErrors.push(error));
    const overwritten = flipBytes(pageBytes, goodContent.length - pageBytes);
    await writeFile(file, overwritten);
    await expect(db.read(() => db.prepare('SELECT count(*) FROM watermarks').get())).rejects.toBeInstanceOf(
      UnavailableError,
    );
    expect(fatalErrors[0]).toBeInstanceOf(DatabaseUnusableError);
    expect(fatalErrors[0]).toMatchObject({ exitCode: 78, message: expect.stringContaining('has stopped') });
    expect((await readFile(file)).equals(overwritten)).toBe(true);
    expect(() => db.close()).not.toThrow();
  });

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
});
