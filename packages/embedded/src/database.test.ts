import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Database } from './database.ts';
import { DatabaseInUseError, databaseFileName, openDatabase } from './open-database.ts';

const runFile = promisify(execFile);

const insertRowSql = 'INSERT INTO watermarks (widget_id, version) VALUES (?, 0)';

describe('Database', () => {
  let dataDir: string;
  let db: Database;
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'widget-service-database-')), 'created', 'with-parents');
    db = openDatabase(dataDir);
  });
  afterEach(async () => {
    db.close();
    await rm(join(dataDir, '..', '..'), { recursive: true, force: true });
  });

  const insertRow = (id: string) => db.prepare(insertRowSql).run(id);
  const selectUserIds = () =>
    db.read(() =>
      db
        .prepare('SELECT widget_id AS id FROM watermarks ORDER BY widget_id')
        .all()
        .map(({ id }) => id),
    );

  test('does not open a file that another process has open, and says what to do', async () => {
    const open = `import { openDatabase } from ${JSON.stringify(new URL('./open-database.ts', import.meta.url).href)};
      try { openDatabase(process.argv[1]); console.log('opened'); } catch (error) { console.log(error.name, error.message); }`;
    const openElsewhere = () => runFile(process.execPath, ['--input-type=module', '-e', open, dataDir]);
    const output = (await openElsewhere()).stdout;
    expect(output).toContain('DatabaseInUseError');
    expect(output).toContain(join(dataDir, databaseFileName));
    expect(output).toContain('one process only');
    db.close();
    expect((await openElsewhere()).stdout).toBe('opened\n');
  });

  test('keeps one empty file beside the database as its lock', async () => {
    const names = (await readdir(dataDir)).filter((name) => name.includes('lock'));
    expect(names).toEqual([`${databaseFileName}-lock`]);
    expect((await stat(join(dataDir, `${databaseFileName}-lock`))).size).toBe(0);
  });

  test('does not open a file twice in one process, and opens it again after the close', () => {
    expect(() => openDatabase(dataDir)).toThrow(DatabaseInUseError);
    db.close();
    db = openDatabase(dataDir);
  });

  test.each([
    ['has a file as its parent', (path: string) => writeFile(join(path, '..'), '')],
    [
      'contains a directory with the name of the file',
      (path: string) => mkdir(join(path, databaseFileName), { recursive: true }),
    ],
  ])('names the setting DATA_DIR in the error if the data directory %s', async (_, makeUnusable) => {
    const path = join(dataDir, 'another', 'place');
    await makeUnusable(path);
    const error = expect.objectContaining({
      exitCode: 78,
      message: expect.stringMatching(/^DATA_DIR: .*place cannot be used/),
    });
    expect(() => openDatabase(path)).toThrow(error);
  });

  test('opens the file with a short write-ahead log, foreign keys, and readable for other processes', () => {
    const readPragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(readPragma('journal_mode')).toBe('wal');
    expect(readPragma('wal_autocheckpoint')).toBe(4096);
    expect(readPragma('locking_mode')).toBe('normal');
    expect(readPragma('foreign_keys')).toBe(1);
  });

  test('rolls back a write that fails, and commits the writes before and after it', async () => {
    const outcomes = await Promise.allSettled([
      db.write(() => insertRow('a')),
      db.write(() => {
        insertRow('b');
        insertRow('a');
      }),
      db.write(() => insertRow('c')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: expect.any(UnstorableError) });
    expect(await selectUserIds()).toEqual(['a', 'c']);
  });

  describe('syncs', () => {
    /** The syncs that the database has started, the oldest first. */
    let syncs: PromiseWithResolvers<void>[];
    let order: string[];
    let fatalErrors: Error[];
    beforeEach(() => {
      db.close();
      syncs = [];
      order = [];
      fatalErrors = [];
      const syncFile = () => {
        const sync = Promise.withResolvers<void>();
        syncs.push(sync);
        order.push(`sync ${syncs.length} starts`);
        return sync.promise;
      };
      db = openDatabase(dataDir, (error) => fatalErrors.push(error), syncFile);
    });
    afterEach(() => {
      for (const sync of syncs) sync.resolve();
    });
    const waitForSync = (count: number) => vi.waitFor(() => expect(syncs).toHaveLength(count));
    const finishSync = (number: number) => {
      order.push(`sync ${number} ends`);
      syncs[number - 1]?.resolve();
    };
    const note = (name: string) => () => void order.push(name);

    test('a write before its promise resolves, and an unsynced write not at all', async () => {
      await db.write(() => insertRow('unsynced'), { isSynced: false });
      const write = db.write(() => insertRow('synced')).then(note('write'));
      await waitForSync(1);
      expect(await selectUserIds()).toEqual(['synced', 'unsynced']);
      finishSync(1);
      await write;
      expect(order).toEqual(['sync 1 starts', 'sync 1 ends', 'write']);
    });

    test('what is committed during a sync with the next one, all together', async () => {
      const first = db.write(() => insertRow('a')).then(note('a'));
      await waitForSync(1);
      const later = ['b', 'c'].map((id) => db.write(() => insertRow(id)).then(note(id)));
      await vi.waitFor(async () => expect(await selectUserIds()).toEqual(['a', 'b', 'c']));
      finishSync(1);
      await first;
      await waitForSync(2);
      finishSync(2);
      await Promise.all(later);
      expect(order).toEqual(['sync 1 starts', 'sync 1 ends', 'sync 2 starts', 'a', 'sync 2 ends', 'b', 'c']);
    });

    test('before it tells that a write failed or changed nothing', async () => {
      const writes = [
        db.write(() => insertRow('a')),
        db.write(() => insertRow('a')).catch(note('duplicate')),
        db.write(() => undefined).then(note('nothing')),
      ];
      await waitForSync(1);
      finishSync(1);
      await Promise.all(writes);
      expect(order).toEqual(['sync 1 starts', 'sync 1 ends', 'duplicate', 'nothing']);
    });

    test('what a read has seen, if the read asks for that', async () => {
      const select = () => db.prepare('SELECT count(*) AS n FROM watermarks').get()?.n;
      expect(await db.read(select, { isSynced: true })).toBe(0);
      const write = db.write(() => insertRow('a'));
      await waitForSync(1);
      const read = db.read(select, { isSynced: true }).then(note('read'));
      expect(await db.read(select)).toBe(1);
      finishSync(1);
      await Promise.all([write, read]);
      expect(order).toEqual(['sync 1 starts', 'sync 1 ends', 'read']);
    });

    test('nothing more after a sync has failed: every synced write rejects, and the process must end', async () => {
      const failing = [db.write(() => insertRow('a'))];
      await waitForSync(1);
      failing.push(db.write(() => insertRow('b')));
      await vi.waitFor(async () => expect(await selectUserIds()).toEqual(['a', 'b']));
      syncs[0]?.reject(new Error('EIO: i/o error, fdatasync'));
      failing.push(db.write(() => insertRow('c')));
      const outcomes = await Promise.allSettled(failing);
      expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual(
        Array.from({ length: 3 }, () => expect.any(UnavailableError)),
      );
      expect(syncs).toHaveLength(1);
      expect(fatalErrors).toEqual([
        expect.objectContaining({ exitCode: 1, message: expect.stringMatching(/could not be put on the disk \(EIO/) }),
      ]);
    });

    test('no read after a sync has failed: a read that asks for the sync rejects', async () => {
      const select = () => db.prepare('SELECT count(*) AS n FROM watermarks').get()?.n;
      const write = db.write(() => insertRow('a')).catch(() => undefined);
      await waitForSync(1);
      const reads = [db.read(select, { isSynced: true })];
      syncs[0]?.reject(new Error('EIO: i/o error, fdatasync'));
      await write;
      reads.push(db.read(select, { isSynced: true }));
      const outcomes = await Promise.allSettled(reads);
      expect(outcomes).toEqual(
        Array.from({ length: 2 }, () => ({ status: 'rejected', reason: expect.any(UnavailableError) })),
      );
    });

    test('what was committed last, even if the database is closed meanwhile', async () => {
      const write = db.write(() => insertRow('a'));
      db.close();
      await waitForSync(1);
      finishSync(1);
      await write;
      db = openDatabase(dataDir);
      expect(await selectUserIds()).toEqual(['a']);
    });
  });

  test('syncs the write-ahead log with fdatasync', async () => {
    const script = `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { fdatasync } = fs;
      fs.fdatasync = (fd, callback) => { console.log(fs.readlinkSync('/proc/self/fd/' + fd)); fdatasync(fd, callback); };
      syncBuiltinESMExports();
      const { openDatabase } = await import(${JSON.stringify(new URL('./open-database.ts', import.meta.url).href)});
      const db = openDatabase(process.argv[1]);
      await db.write(() => db.prepare(${JSON.stringify(insertRowSql)}).run('a'));
      db.close();`;
    db.close();
    const { stdout } = await runFile(process.execPath, ['--input-type=module', '-e', script, dataDir]);
    expect(stdout).toBe(`${join(dataDir, databaseFileName)}-wal\n`);
  });

  test('holds the first writes and none after them, wherever a power cut ends the write-ahead log', async () => {
    const file = join(dataDir, databaseFileName);
    await db.write(() => insertRow('0'));
    const syncedBytes = (await stat(`${file}-wal`)).size;
    for (const id of ['1', '2', '3', '4']) await db.write(() => insertRow(id), { isSynced: false });
    const [database, log] = [await readFile(file), await readFile(`${file}-wal`)];
    const found = new Set<string>();
    for (let bytes = syncedBytes; bytes <= log.length; bytes += 1_000) {
      const copy = join(dataDir, `cut-${bytes}`);
      await mkdir(copy);
      await writeFile(join(copy, databaseFileName), database);
      await writeFile(join(copy, `${databaseFileName}-wal`), log.subarray(0, bytes));
      const cut = openDatabase(copy);
      const ids = await cut.read(() => cut.prepare('SELECT widget_id AS id FROM watermarks ORDER BY widget_id').all());
      cut.close();
      found.add(ids.map(({ id }) => id).join(''));
    }
    expect('01234'.split('').map((_, index) => '01234'.slice(0, index + 1))).toEqual(
      expect.arrayContaining([...found]),
    );
    expect(found.size).toBeGreaterThan(2);
  });

  test('lets other work run between long writes', async () => {
    const order: string[] = [];
    const writeSlowly = (name: string) =>
      db.write(() => {
        for (const endAt = performance.now() + 10; performance.now() < endAt; );
        order.push(name);
      });
    const writes = [writeSlowly('first write'), writeSlowly('second write')];
    setImmediate(() => order.push('other work'));
    await Promise.all(writes);
    expect(order).toEqual(['first write', 'other work', 'second write']);
  });

  test('commits requested writes when it closes, and rejects later reads and writes', async () => {
    const write = db.write(() => insertRow('a'));
    db.close();
    await write;
    await expect(db.write(() => insertRow('b'))).rejects.toBeInstanceOf(UnavailableError);
    await expect(selectUserIds()).rejects.toBeInstanceOf(UnavailableError);
    db = openDatabase(dataDir);
    expect(await selectUserIds()).toEqual(['a']);
  });

  test('leaves only the database file and an empty lock file in the directory when it closes', async () => {
    await db.write(() => insertRow('a'));
    db.close();
    expect((await stat(join(dataDir, databaseFileName))).size).toBeGreaterThan(0);
    expect(await readdir(dataDir)).toEqual([databaseFileName, `${databaseFileName}-lock`]);
  });
});
