import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseFileName, openDatabase } from './database.ts';
import { DatabaseUnusableError } from './database-file.ts';

const pageBytes = 4096;

describe('a database file that cannot be used', () => {
  let folder: string;
  let good: Buffer;
  let dataDir: string;
  let file: string;
  let number = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'widget-service-inspect-'));
    const db = openDatabase(join(folder, 'good'));
    const insert = db.prepare('INSERT INTO users VALUES (?, ?, ?, 0, ?, 0, NULL)');
    await db.write(() => {
      for (let id = 0; id < 500; id += 1) insert.run(`${id}`, `${id}@example.test`, 'viewer', 'h'.repeat(100));
    });
    db.close();
    good = await readFile(join(folder, 'good', databaseFileName));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    number += 1;
    dataDir = join(folder, `${number}`);
    await cp(join(folder, 'good'), dataDir, { recursive: true });
    file = join(dataDir, databaseFileName);
  });

  const flipped = (at: number, bytes: number) => {
    const damaged = Buffer.from(good);
    for (let index = at; index < at + bytes; index += 1) damaged[index] = (damaged[index] ?? 0) ^ 0xff;
    return damaged;
  };

  function refusal(): unknown {
    try {
      openDatabase(dataDir).close();
      return null;
    } catch (error) {
      return error;
    }
  }

  async function expectRefused(told: RegExp): Promise<void> {
    const before = await readFile(file);
    const error = refusal();
    expect(error).toBeInstanceOf(DatabaseUnusableError);
    expect(error).toMatchObject({ exitCode: 78, message: expect.stringMatching(told) });
    expect(error).toMatchObject({ message: expect.stringContaining(`${file} `) });
    expect(error).toMatchObject({ message: expect.stringContaining('Nothing in it was changed') });
    expect((await readFile(file)).equals(before)).toBe(true);
  }

  it.each([
    ['in its first bytes', 0, 16],
    ['in its page size', 16, 2],
    ['in the rest of its header', 18, 20],
    ['in the list of its tables', 100, 40],
  ])('is refused and left as it is: damaged %s', async (_, at, bytes) => {
    await writeFile(file, flipped(at, bytes));
    await expectRefused(/not a database of this service|is damaged/);
  });

  it('is refused and left as it is: damaged in any of its pages', async () => {
    for (let at = pageBytes; at < good.length; at += pageBytes) {
      await writeFile(file, flipped(at, 64));
      await expectRefused(/is damaged/);
    }
  });

  it.each([1, 2, 3])('is refused and left as it is: cut off after %i pages', async (pages) => {
    await truncate(file, pages * pageBytes);
    await expectRefused(/is damaged/);
  });

  it.each([
    ['a text', Buffer.from('Dear diary, this is no database.\n')],
    ['noise', Buffer.from(Array.from({ length: 3 * pageBytes }, (_, index) => (index * 7919) % 251))],
  ])('is refused and left as it is: %s', async (_, content) => {
    await writeFile(file, content);
    await expectRefused(/not a database of this service/);
  });

  it.each([0, 3])("is refused and left as it is: another program's database (its version %i)", async (version) => {
    await rm(file);
    const other = new DatabaseSync(file);
    other.exec(`CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine'); PRAGMA user_version = ${version}`);
    other.close();
    await expectRefused(/not a database of this service/);
  });

  it('is not what an empty file is: there the service begins', async () => {
    await writeFile(file, '');
    openDatabase(dataDir).close();
  });

  it('is told from a good one that was not closed: its last writes are beside it', async () => {
    await rm(dataDir, { recursive: true });
    const db = openDatabase(dataDir);
    const insert = db.prepare('INSERT INTO users VALUES (?, ?, ?, 0, ?, 0, NULL)');
    await db.write(() => insert.run('a', 'a', 'r', 'h'));
    const copy = `${dataDir}-copy`;
    await cp(dataDir, copy, { recursive: true });
    db.close();
    const opened = openDatabase(copy);
    expect(await opened.read(() => opened.prepare('SELECT id FROM users').all())).toEqual([{ id: 'a' }]);
    opened.close();
  });

  it('is told as fatal when the damage shows only while it is used', async () => {
    const told: Error[] = [];
    const db = openDatabase(dataDir, (error) => told.push(error));
    const overwritten = flipped(pageBytes, good.length - pageBytes);
    await writeFile(file, overwritten);
    await expect(db.read(() => db.prepare('SELECT count(*) FROM users').get())).rejects.toBeInstanceOf(
      UnavailableError,
    );
    expect(told[0]).toBeInstanceOf(DatabaseUnusableError);
    expect(told[0]).toMatchObject({ exitCode: 78, message: expect.stringContaining('has stopped') });
    expect((await readFile(file)).equals(overwritten)).toBe(true);
    expect(() => db.close()).not.toThrow();
  });
});
