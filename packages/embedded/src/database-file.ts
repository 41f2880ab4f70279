import { readdirSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { isBusy, isDamage, isFailedRead, isNoDatabase } from './sqlite-error.ts';

const schemaDirectory = new URL('./schema/', import.meta.url);
const schemaFile = /^(\d{3})-[a-z0-9-]+\.sql$/;

/** A newer version of the service wrote the file. */
export class DatabaseTooNewError extends ExitError {
  constructor(version: number, supportedVersion: number) {
    super(
      exitCodes.configuration,
      `the database has schema version ${version}, but this version of the service supports only versions up to ` +
        `${supportedVersion}: start the version of the service that wrote it, or a newer one`,
    );
  }
}

/** `PRAGMA application_id` of a file whose versions are those of `schema/`: "Wdgu". */
const applicationId = 0x57646775;

function listSchemaFiles(directory: URL): string[] {
  return readdirSync(directory)
    .filter((name) => schemaFile.test(name))
    .sort();
}

/** Returns `user_version`: the number of files in `schema/` that were applied. */
function readSchemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}

/**
 * Applies the files of `schema/` that were not applied yet, each in a transaction of its own. Throws
 * `DatabaseTooNewError`, or SQLite's error. Tests pass a directory of their own.
 */
export function migrate(db: DatabaseSync, directory = schemaDirectory): void {
  const files = listSchemaFiles(directory);
  const applied = readSchemaVersion(db);
  if (applied > files.length) throw new DatabaseTooNewError(applied, files.length);
  // Written before the version, so that every file with a version has it.
  db.exec(`PRAGMA application_id = ${applicationId}`);
  for (const [index, name] of files.entries()) {
    if (index < applied) continue;
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(readFileSync(new URL(name, directory), 'utf8'));
      db.exec(`PRAGMA user_version = ${index + 1}`);
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

/** A table of every schema version. Its name identifies a file as ours. */
const identifyingTable = 'run_registry';

const remedy =
  'Move it away, together with the files beside it whose names begin with its name. Then start with an empty ' +
  'database, put a good copy in its place, or choose another data directory.';

/** The file is damaged, or another program wrote it. */
export class DatabaseUnusableError extends ExitError {
  constructor(file: string, problem: string, outcome: string, cause: unknown) {
    super(exitCodes.configuration, `${file} ${problem}. ${outcome} ${remedy}`, { cause });
  }
}

/** Returns the error for damage that SQLite reports while the file is in use. */
export function toDamagedInUseError(file: string, cause: unknown): DatabaseUnusableError {
  const outcome = 'This process has stopped, because further writes can make the damage worse.';
  return new DatabaseUnusableError(file, describeDamage(cause), outcome, cause);
}

/** Returns the error for a sync that failed while the file is in use. */
export function toFailedSyncError(file: string, cause: unknown): ExitError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ExitError(
    exitCodes.unexpected,
    `${file} could not be put on the disk (${reason}). This process has stopped, because the last writes may be lost: ` +
      'none of them was confirmed. Check the disk, then start again: the file is checked at the start.',
    { cause },
  );
}

function toUnusableError(file: string, problem: string, cause?: unknown): DatabaseUnusableError {
  return new DatabaseUnusableError(file, problem, 'Nothing in it was changed.', cause);
}

function describeDamage(cause: unknown): string {
  return `is damaged (${cause instanceof Error ? cause.message : cause})`;
}

/**
 * Checks the whole file, and the write-ahead log beside it, before the service writes anything. This takes one or two
 * seconds per gigabyte.
 *
 * Returns true if the database is usable, or if the file is empty or does not exist. Returns false if SQLite cannot
 * check the file without writing: on a full disk, or on a file system without shared memory. Throws
 * `DatabaseUnusableError` or `DatabaseTooNewError`. Throws SQLite's error if another process still has the file open
 * after `timeoutMs`.
 */
export function inspectFile(file: string, timeoutMs: number): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return true;
  let db: DatabaseSync | null = null;
  try {
    // A read-only connection never moves the write-ahead log into the file, not even when it closes.
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

/**
 * Makes the checks of `inspectFile` on an open connection. Throws `DatabaseUnusableError`, `DatabaseTooNewError`, or
 * any other error of SQLite unchanged.
 */
export function verifyDatabase(db: DatabaseSync, file: string): void {
  try {
    verifyOrigin(db, file);
    const verdict = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
    if (verdict !== 'ok') throw toUnusableError(file, describeDamage(verdict));
  } catch (error) {
    if (isNoDatabase(error)) throw toUnusableError(file, 'is not a database of this service', error);
    if (isDamage(error) || isFailedRead(error)) throw toUnusableError(file, describeDamage(error), error);
    throw error;
  }
}

/**
 * Accepts an empty database, and one that this version of the service or an older one wrote. Throws
 * `DatabaseUnusableError` or `DatabaseTooNewError` for any other.
 */
function verifyOrigin(db: DatabaseSync, file: string): void {
  const version = readSchemaVersion(db);
  const tables = db.prepare('SELECT name FROM sqlite_schema').all();
  if (version === 0 && tables.length === 0) return;
  const isOurs = version > 0 && tables.some(({ name }) => name === identifyingTable);
  if (!isOurs) throw toUnusableError(file, 'is a database of another program, not a database of this service');
  const id = Number(db.prepare('PRAGMA application_id').get()?.application_id);
  if (id !== applicationId)
    throw toUnusableError(file, 'was written by a development version whose files no later version can upgrade');
  const supportedVersion = listSchemaFiles(schemaDirectory).length;
  if (version > supportedVersion) throw new DatabaseTooNewError(version, supportedVersion);
}
