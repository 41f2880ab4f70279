import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { Database } from './database.ts';
import { inspectFile, migrate, toDamagedInUseError, toFailedSyncError, verifyDatabase } from './database-file.ts';
import { LogSync, type SyncFile } from './log-sync.ts';
import { isBusy, isUnusablePlace } from './sqlite-error.ts';

export const databaseFileName = 'widget-service.sqlite';

/** Only the owner may read and write: the file has e-mails and the hashes of passwords. */
const fileMode = 0o600;
/** How long `openDatabase` waits for a process that is ending to release the file. */
const openTimeoutMs = 1000;
/** Another process has the file open. The embedded backend is for one process. */
export class DatabaseInUseError extends ExitError {
  constructor(file: string, cause: unknown) {
    super(
      exitCodes.configuration,
      `${file} is in use by another process: the embedded store is for one process only. Stop the other process, or ` +
        'choose another data directory. To run several processes, use MongoDB and Redis.',
      { cause },
    );
  }
}

/** The data directory cannot be created, or the process cannot write to it. */
export class DataDirUnusableError extends ExitError {
  constructor(dataDir: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      exitCodes.configuration,
      `DATA_DIR: ${dataDir} cannot be used (${reason}). Set it to a directory that this process can create or write to.`,
      { cause },
    );
  }
}

/**
 * Opens the database file in `dataDir`. Creates the directory and the file if they do not exist.
 *
 * Calls `onFatal` if the file later turns out to be damaged, or if a sync fails. The process must end then: further
 * writes can make the damage worse, and what could not be synced may be lost.
 *
 * Throws `DataDirUnusableError`, `DatabaseInUseError`, `DatabaseUnusableError` or `DatabaseTooNewError`; the content of
 * the file is then unchanged. Throws any other error of SQLite unchanged. Tests pass a `syncFile` (`LogSync`).
 */
export function openDatabase(
  dataDir: string,
  onFatal: (error: Error) => void = () => undefined,
  syncFile?: SyncFile,
): Database {
  const file = join(dataDir, databaseFileName);
  let unlock = () => {};
  let db: DatabaseSync | null = null;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    unlock = acquireProcessLock(`${file}-lock`, openTimeoutMs);
    db = open(file);
    const logSync = new LogSync(`${file}-wal`, (error) => onFatal(toFailedSyncError(file, error)), syncFile);
    // From here on, SQLite syncs only at a checkpoint, and `logSync` before the promise of a write resolves
    // (https://www.sqlite.org/pragma.html#pragma_synchronous).
    db.exec('PRAGMA synchronous = NORMAL');
    return new Database(db, logSync, (error) => onFatal(toDamagedInUseError(file, error)), unlock);
  } catch (error) {
    db?.close();
    unlock();
    if (isBusy(error)) throw new DatabaseInUseError(file, error);
    throw isUnusablePlace(error) ? new DataDirUnusableError(dataDir, error) : error;
  }
}

/**
 * Other processes may read the file meanwhile. That needs shared memory, a file beside it (`-shm`). Where there is
 * none (a full disk, some network file systems), `inspectFile` returns false, and the file is open for this process.
 */
function open(file: string): DatabaseSync {
  const isInspected = inspectFile(file, openTimeoutMs);
  if (!isInspected) return openAs('EXCLUSIVE', file, isInspected);
  try {
    return openAs('NORMAL', file, isInspected);
  } catch (error) {
    if (error instanceof ExitError || isBusy(error)) throw error;
    return openAs('EXCLUSIVE', file, isInspected);
  }
}

/** Checks the file first if `inspectFile` could not (`isInspected`). */
function openAs(lockingMode: 'NORMAL' | 'EXCLUSIVE', file: string, isInspected: boolean): DatabaseSync {
  // Creates the file for its owner alone. SQLite gives the write-ahead log the mode of the file.
  closeSync(openSync(file, 'a', fileMode));
  const db = new DatabaseSync(file, { timeout: openTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // Set before WAL: with EXCLUSIVE, SQLite then keeps the lock from the first access on, and needs no shared memory.
    db.exec(`PRAGMA locking_mode = ${lockingMode}`);
    if (!isInspected) verifyDatabase(db, file);
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    // In pages of 4 KiB. A checkpoint writes a page once, however often it changed; one of 16 MiB is still short.
    db.exec('PRAGMA wal_autocheckpoint = 4096');
    // A negative number is in KiB: 64 MiB.
    db.exec('PRAGMA cache_size = -65536');
    // In bytes: a checkpoint shortens a longer write-ahead log to 64 MiB.
    db.exec('PRAGMA journal_size_limit = 67108864');
    db.exec('PRAGMA temp_store = MEMORY');
    // Fails here, and not at the first write, if the file is locked or if there is no shared memory.
    db.exec('BEGIN IMMEDIATE; COMMIT');
    // `inspectFile` may have left this file behind. This process now has the exclusive lock, so nobody uses it.
    if (lockingMode === 'EXCLUSIVE') rmSync(`${file}-shm`, { force: true });
    for (const path of [file, `${file}-wal`, `${file}-shm`]) restrictToOwner(path);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Sets the mode of an existing file if it can: some file systems have no modes, or another user owns it. */
function restrictToOwner(path: string): void {
  try {
    chmodSync(path, fileMode);
  } catch {
    // The operator who chose such a place has decided who can read it.
  }
}

/**
 * Locks the database against other processes of the service, until the returned function is called or the process ends.
 * The lock is SQLite's own lock on `file`, so it works where SQLite works. `file` stays empty and is never removed:
 * otherwise two processes could lock two files of one name. Waits `timeoutMs` for another process; then throws SQLite's
 * error (`isBusy`). Throws other errors unchanged.
 */
function acquireProcessLock(file: string, timeoutMs: number): () => void {
  createForOwner(file);
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    // SQLite would write a journal beside the file, which needs room and which a killed process leaves behind.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw error;
  }
  return () => db.close();
}

/** Does not open an existing file: closing it would drop the locks that this process has on it (POSIX). */
function createForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
