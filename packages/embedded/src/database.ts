import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { inspectFile, migrate, toDamagedInUseError, verifyDatabase } from './database-file.ts';
import { isBusy, isDamage, isUnusablePlace, translateError } from './sqlite-error.ts';

export const databaseFileName = 'widget-service.sqlite';

/** How long an ending process may still hold the file when its successor opens it. */
const openTimeoutMs = 1000;
/** How long writes are gathered into one transaction before the requests and streams in between get their turn. */
const turnMs = 5;
/** How many rows one clean-up step deletes. */
const cleanUpRows = 500;

/** Another process has the file open. The embedded backend is for one process. */
export class DatabaseInUseError extends ExitError {
  constructor(file: string, cause: unknown) {
    super(
      exitCodes.configuration,
      `${file} is in use by another process: the embedded store is for one process only. Stop the other one, ` +
        'choose another data directory, or use MongoDB and Redis to run several processes.',
      { cause },
    );
  }
}

/** The folder cannot be made, or nothing can be written to it. */
export class DataDirUnusableError extends ExitError {
  constructor(dataDir: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(exitCodes.configuration, `DATA_DIR: ${dataDir} cannot be used (${reason})`, { cause });
  }
}

interface Write {
  readonly run: () => void;
  readonly settle: (error: Error | null) => void;
}

/**
 * One SQLite file that this process alone has open. Every write is its own unit, atomic and durable before its promise
 * resolves; those that are asked for in one turn of the event loop share a transaction, and so one wait for the disk.
 */
export class Database {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #onDamage: (error: unknown) => void;
  #writes: Write[] = [];
  #isClosed = false;

  /** `onDamage` is called when the file turns out to be damaged: it must not be used any more. */
  constructor(db: DatabaseSync, onDamage: (error: unknown) => void) {
    this.#db = db;
    this.#onDamage = onDamage;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#savepoint = db.prepare('SAVEPOINT one_write');
    this.#release = db.prepare('RELEASE one_write');
  }

  /** A statement to keep. */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql);
  }

  /** Runs `work`, which must only read. What was written before is seen, also by statements that return many rows. */
  async read<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /** Runs `work` as one transaction. It is not run at once, and must do all its reading itself. */
  write<T>(work: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new UnavailableError('SQLite: the database is closed'));
    return new Promise((resolve, reject) => {
      let result: T;
      this.#writes.push({
        run: () => {
          result = work();
        },
        settle: (error) => (error === null ? resolve(result) : reject(error)),
      });
      if (this.#writes.length === 1) setImmediate(() => this.#commitNext());
    });
  }

  /** Runs a statement that deletes at most `:rows` rows until it finds none, with room for others in between. */
  async deleteInSteps(statement: StatementSync, parameter: number): Promise<void> {
    for (;;) {
      const deleted = await this.write(() => Number(statement.run(parameter, cleanUpRows).changes));
      if (deleted < cleanUpRows) return;
    }
  }

  /** Carries out what was asked for, moves everything into the one file, and gives it free. */
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

  /** One transaction. A write that fails is undone alone; where the transaction itself fails, all its writes have. */
  #commitSlice(): void {
    const endAt = performance.now() + turnMs;
    const taken: { readonly write: Write; error: Error | null }[] = [];
    try {
      this.#begin.run();
      for (const write of this.#writes) {
        const entry: (typeof taken)[number] = { write, error: null };
        taken.push(entry);
        entry.error = this.#runOne(write);
        if (performance.now() > endAt) break;
      }
      this.#commit.run();
    } catch (error) {
      this.#rollBack();
      // A transaction that cannot even begin fails the writes that wait: they would only pile up.
      if (taken.length === 0) taken.push(...this.#writes.map((write) => ({ write, error: null })));
      const failure = asUnavailable(this.#translate(error));
      for (const entry of taken) entry.error ??= failure;
    }
    this.#writes = this.#writes.slice(taken.length);
    for (const { write, error } of taken) write.settle(error);
  }

  #runOne(write: Write): Error | null {
    this.#savepoint.run();
    try {
      write.run();
    } catch (error) {
      // Some failures, like a full disk, end the whole transaction.
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
      // Without a transaction there is nothing to undo, and the next one says what is wrong.
    }
  }
}

function asUnavailable(error: Error): Error {
  return error instanceof UnavailableError ? error : new UnavailableError(error.message, error);
}

/**
 * Opens the file in `dataDir`, which is made where it is missing. Throws `DataDirUnusableError`, `DatabaseInUseError`,
 * `DatabaseUnusableError` and `DatabaseTooNewError`, and has changed nothing in the file then. A file that turns out
 * later to be damaged is told to `onFatal`: what is written to it from then on may make it worse.
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
  readonly isInspected: boolean;
  readonly onFatal: (error: Error) => void;
}

function open(file: string, { isInspected, onFatal }: OpenOptions): Database {
  const db = new DatabaseSync(file, { timeout: openTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // Exclusive before WAL: then the lock is taken at the first access and kept, and no shared memory is needed.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    if (!isInspected) verifyDatabase(db, file);
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    // Pages that are written often reach the file once per checkpoint; 16 MiB is still a short one.
    db.exec('PRAGMA wal_autocheckpoint = 4096');
    db.exec('PRAGMA cache_size = -65536');
    db.exec('PRAGMA journal_size_limit = 67108864');
    db.exec('PRAGMA temp_store = MEMORY');
    db.exec('BEGIN IMMEDIATE; COMMIT');
    // Left by the look through the file; nobody else can be using it now.
    rmSync(`${file}-shm`, { force: true });
    migrate(db);
    return new Database(db, (error) => onFatal(toDamagedInUseError(file, error)));
  } catch (error) {
    db.close();
    throw error;
  }
}
