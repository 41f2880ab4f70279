import { readdirSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { isBusy, isDamage, isFailedRead, isNoDatabase } from './sqlite-error.ts';

const schemaDirectory = new URL('./schema/', import.meta.url);
const schemaFile = /^(\d{3})-[a-z0-9-]+\.sql$/;

/** The file was written by a newer version of the service. */
export class DatabaseTooNewError extends ExitError {
  constructor(found: number, known: number) {
    super(
      exitCodes.configuration,
      `the database has schema version ${found}, but this version of the service knows only up to ${known}: ` +
        'start the version that wrote it, or a newer one',
    );
  }
}

function schemaFiles(): string[] {
  return readdirSync(schemaDirectory)
    .filter((name) => schemaFile.test(name))
    .sort();
}

/** The schema version that this version of the service writes. */
function knownVersion(): number {
  return schemaFiles().length;
}

/** Brings the schema up to date: `user_version` tells how many of the files in `schema/` were applied. */
export function migrate(db: DatabaseSync): void {
  const files = schemaFiles();
  const applied = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (applied > files.length) throw new DatabaseTooNewError(applied, files.length);
  for (const [index, name] of files.entries()) {
    if (index < applied) continue;
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(readFileSync(new URL(name, schemaDirectory), 'utf8'));
      db.exec(`PRAGMA user_version = ${index + 1}`);
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

/** A table that every version has had. */
const tableOfOurs = 'run_register';

const remedy =
  'Move it away, together with the files beside it whose names begin with its name. Then start empty, or put a good ' +
  'copy in its place; or choose another data directory.';

/** The file is damaged, or is not this service's. */
export class DatabaseUnusableError extends ExitError {
  constructor(file: string, what: string, outcome: string, cause: unknown) {
    super(exitCodes.configuration, `${file} ${what}. ${outcome} ${remedy}`, { cause });
  }
}

/** For a file that was found damaged while it was in use. */
export function toDamagedInUseError(file: string, cause: unknown): DatabaseUnusableError {
  return new DatabaseUnusableError(file, damaged(cause), 'This process has stopped, not to make it worse.', cause);
}

function refused(file: string, what: string, cause?: unknown): DatabaseUnusableError {
  return new DatabaseUnusableError(file, what, 'Nothing in it was changed.', cause);
}

function damaged(cause: unknown): string {
  return `is damaged (${cause instanceof Error ? cause.message : cause})`;
}

/**
 * Looks through the whole file before anything may be written to it, and through what was written last and is still
 * beside it: one or two seconds per gigabyte. False where that cannot be done without writing: on a full disk, or on a
 * file system without shared memory. Throws `DatabaseUnusableError`, `DatabaseTooNewError`, and the error of SQLite for
 * a file that another process has.
 */
export function inspectFile(file: string, timeoutMs: number): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return true;
  let db: DatabaseSync | null = null;
  try {
    // A connection that may only read does not move into the file what is beside it, not even when it is closed.
    db = new DatabaseSync(file, { readOnly: true, timeout: timeoutMs });
    verifyDatabase(db, file);
    return true;
  } catch (error) {
    if (error instanceof ExitError || isBusy(error)) throw error;
    return false;
  } finally {
    db?.close();
  }
}

/** The same on a connection that is open. */
export function verifyDatabase(db: DatabaseSync, file: string): void {
  try {
    verifyWhose(db, file);
    const verdict = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
    if (verdict !== 'ok') throw refused(file, damaged(verdict));
  } catch (error) {
    if (isNoDatabase(error)) throw refused(file, 'is not a database of this service', error);
    if (isDamage(error) || isFailedRead(error)) throw refused(file, damaged(error), error);
    throw error;
  }
}

function verifyWhose(db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version > knownVersion()) throw new DatabaseTooNewError(version, knownVersion());
  const tables = db.prepare('SELECT name FROM sqlite_schema').all();
  const isOurs = version > 0 && tables.some(({ name }) => name === tableOfOurs);
  if (isOurs || (version === 0 && tables.length === 0)) return;
  throw refused(file, 'is a database of another program, not a database of this service');
}
