import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { inspectFile, migrate, toDamagedInUseError, verifyDatabase } from './database-file.ts';
import { isBusy, isDamage, isUnusablePlace, translateError } from './sqlite-error.ts';

export const databaseFileName = 'widget-service.sqlite';

/** How long `openDatabase` waits for a process that is ending to release the file. */
const openTimeoutMs = 1000;
/** After how long a transaction starts no further write. Requests and streams run between two transactions. */
const sliceMs = 5;
/** How many rows one transaction of `deleteInBatches` deletes. */
const deleteBatchRows = 500;

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

export interface WriteOptions {
  /**
   * Whether the write is on the disk before its promise resolves. Default: true. If false, the write survives the end of
   * the process, but a power cut may undo it, together with every later write. The next synced write puts it on the disk.
   */
  readonly isSynced?: boolean;
}

interface Write {
  readonly isSynced: boolean;
  readonly run: () => void;
  /** Resolves the promise of the write, or rejects it with the error. */
  readonly settle: (error: Error | null) => void;
}

/**
 * One SQLite file that only this process has open. Every write is atomic on its own, and durable before its promise
 * resolves unless the caller gives up the sync. Writes requested in one event-loop turn share a transaction, and so they
 * share one fsync. After a power cut the file holds the transactions up to some point in their order, and none after it.
 */
export class Database {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  #isSyncing = true;
  readonly #onDamage: (error: unknown) => void;
  #writes: Write[] = [];
  #isClosed = false;

  /** Calls `onDamage` when SQLite reports that the file is damaged. Nothing may use the file after that. */
  constructor(db: DatabaseSync, onDamage: (error: unknown) => void) {
    this.#db = db;
    this.#onDamage = onDamage;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#savepoint = db.prepare('SAVEPOINT one_write');
    this.#release = db.prepare('RELEASE one_write');
  }

  /** Prepares a statement for repeated use. */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql);
  }

  /**
   * Runs `work` at once; it must only read. It sees every write whose promise has resolved. Rejects with the errors of
   * `translateError`.
   */
  async read<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /**
   * Runs `work` later, as one atomic write. What the write depends on must be read inside `work`. Rejects with the
   * errors of `translateError`, and with `UnavailableError` if the transaction fails or the database is closed.
   */
  write<T>(work: () => T, { isSynced = true }: WriteOptions = {}): Promise<T> {
    if (this.#isClosed) return Promise.reject(new UnavailableError('SQLite: the database is closed'));
    return new Promise((resolve, reject) => {
      let result: T;
      this.#writes.push({
        isSynced,
        run: () => {
          result = work();
        },
        settle: (error) => (error === null ? resolve(result) : reject(error)),
      });
      if (this.#writes.length === 1) setImmediate(() => this.#commitNext());
    });
  }

  /**
   * Deletes rows in many short transactions, so that other work runs in between. `statement` has two parameters: the
   * given one, and how many rows to delete at most. Ends when a call deletes fewer rows than that. Nothing is synced.
   */
  async deleteInBatches(statement: StatementSync, parameter: number): Promise<void> {
    for (;;) {
      const deleteRows = () => Number(statement.run(parameter, deleteBatchRows).changes);
      const deleted = await this.write(deleteRows, { isSynced: false });
      if (deleted < deleteBatchRows) return;
    }
  }

  /**
   * Commits the requested writes, moves the write-ahead log into the file, and closes the file. Further writes reject.
   */
  close(): void {
    if (this.#isClosed) return;
    while (this.#writes.length > 0) this.#commitSlice();
    this.#isClosed = true;
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
    }
  }

  #commitNext(): void {
    if (this.#writes.length > 0) this.#commitSlice();
    if (this.#writes.length > 0) setImmediate(() => this.#commitNext());
  }

  /**
   * Runs writes in one transaction until none is left or `sliceMs` have passed. A write that fails is rolled back
   * alone. If the transaction fails, all its writes fail.
   */
  #commitSlice(): void {
    const endAt = performance.now() + sliceMs;
    const attempts: { readonly write: Write; error: Error | null }[] = [];
    try {
      this.#setSyncing(this.#writes.some(({ isSynced }) => isSynced));
      this.#begin.run();
      for (const write of this.#writes) {
        const attempt: (typeof attempts)[number] = { write, error: null };
        attempts.push(attempt);
        attempt.error = this.#runInSavepoint(write);
        if (performance.now() > endAt) break;
      }
      this.#commit.run();
    } catch (error) {
      this.#rollBack();
      // If not even BEGIN succeeds, fail every waiting write: otherwise they pile up.
      if (attempts.length === 0) attempts.push(...this.#writes.map((write) => ({ write, error: null })));
      const failure = toUnavailable(this.#translate(error));
      for (const attempt of attempts) attempt.error ??= failure;
    }
    this.#writes = this.#writes.slice(attempts.length);
    for (const { write, error } of attempts) write.settle(error);
  }

  /**
   * In WAL mode, `FULL` syncs the write-ahead log at each commit, and `NORMAL` only at a checkpoint
   * (https://www.sqlite.org/pragma.html#pragma_synchronous). The setting takes effect at the next transaction.
   */
  #setSyncing(isSyncing: boolean): void {
    if (isSyncing === this.#isSyncing) return;
    this.#db.exec(`PRAGMA synchronous = ${isSyncing ? 'FULL' : 'NORMAL'}`);
    this.#isSyncing = isSyncing;
  }

  /** Returns the error of a write that failed alone. Throws an error that ended the transaction. */
  #runInSavepoint(write: Write): Error | null {
    this.#savepoint.run();
    try {
      write.run();
    } catch (error) {
      // Some failures, such as a full disk, end the whole transaction.
      if (!this.#db.isTransaction) throw error;
      this.#db.exec('ROLLBACK TO one_write');
      this.#release.run();
      return this.#translate(error);
    }
    this.#release.run();
    return null;
  }

  #translate(error: unknown): Error {
    if (isDamage(error)) this.#onDamage(error);
    return translateError(error);
  }

  #rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // The caller already has an error to report. If the database is still unusable, the next BEGIN fails too.
    }
  }
}

/** For a transaction that failed: the error says nothing about a single write, so a retry may help. */
function toUnavailable(error: Error): Error {
  return error instanceof UnavailableError ? error : new UnavailableError(error.message, error);
}

/**
 * Opens the database file in `dataDir`. Creates the directory and the file if they do not exist.
 *
 * Throws `DataDirUnusableError`, `DatabaseInUseError`, `DatabaseUnusableError` or `DatabaseTooNewError`; the content of
 * the file is then unchanged. Throws any other error of SQLite unchanged.
 *
 * Calls `onFatal` if the file later turns out to be damaged. The process must end then, because every further write can
 * make the damage worse.
 */
export function openDatabase(dataDir: string, onFatal: (error: Error) => void = () => undefined): Database {
  const file = join(dataDir, databaseFileName);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return open(file, { isInspected: inspectFile(file, openTimeoutMs), onFatal });
  } catch (error) {
    if (isBusy(error)) throw new DatabaseInUseError(file, error);
    throw isUnusablePlace(error) ? new DataDirUnusableError(dataDir, error) : error;
  }
}

interface OpenOptions {
  /** False: `inspectFile` could not check the file, so `open` does. */
  readonly isInspected: boolean;
  readonly onFatal: (error: Error) => void;
}

function open(file: string, { isInspected, onFatal }: OpenOptions): Database {
  const db = new DatabaseSync(file, { timeout: openTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // Set before WAL: SQLite then keeps the lock from the first access on, and needs no shared memory.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
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
    // Takes the lock now, so that a second process fails here and not at its first write.
    db.exec('BEGIN IMMEDIATE; COMMIT');
    // `inspectFile` leaves this file behind. This process now has the lock, so no other process uses it.
    rmSync(`${file}-shm`, { force: true });
    migrate(db);
    return new Database(db, (error) => onFatal(toDamagedInUseError(file, error)));
  } catch (error) {
    db.close();
    throw error;
  }
}
