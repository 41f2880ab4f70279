import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { describeError, UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { LogSync } from './log-sync.ts';
import { isDamage, translateError } from './sqlite-error.ts';

/** After how long a transaction starts no further write. Requests and streams run between two transactions. */
const sliceMs = 5;
/** How many rows one transaction of `deleteInBatches` deletes. */
const deleteBatchRows = 500;

interface SyncChoice {
  readonly isSynced: boolean;
}

/** A store whose rows expire. */
export interface Expiring {
  /** Removes the rows that have expired at `now`. */
  removeExpired(now: Date): Promise<void>;
}

interface Write {
  readonly isSynced: boolean;
  readonly run: () => void;
  /** Resolves the promise of the write, or rejects it with the error. */
  readonly settle: (error: Error | null) => void;
}

interface Attempt {
  readonly write: Write;
  error: Error | null;
}

/**
 * One SQLite file that only this process writes; others may read it. Every write is atomic on its own, and durable
 * before its promise resolves unless the caller gives up the sync. Writes requested in one event-loop turn share a
 * transaction. The sync runs in the background (`LogSync`), and transactions that are committed during one sync share
 * the next. After a power cut the file holds the transactions up to some point in their order, and none after it.
 */
export class Database {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #logSync: LogSync;
  readonly #onDamage: (error: unknown) => void;
  readonly #onClose: () => void;
  #writes: Write[] = [];
  #isClosed = false;

  /**
   * Calls `onDamage` when SQLite reports that the file is damaged. Nothing may use the file after that. Calls `onClose`
   * once the file is closed.
   */
  constructor(db: DatabaseSync, logSync: LogSync, onDamage: (error: unknown) => void, onClose: () => void) {
    this.#db = db;
    this.#logSync = logSync;
    this.#onDamage = onDamage;
    this.#onClose = onClose;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#savepoint = db.prepare('SAVEPOINT one_write');
    this.#release = db.prepare('RELEASE one_write');
  }

  /** Prepares a statement for repeated use. */
  prepare(sql: string): StatementSync {
    return readLargeIntegers(this.#db.prepare(sql), { runsOnce: /\bRETURNING\b/.test(sql) });
  }

  /**
   * Runs `work` at once; it must only read. It sees every write whose promise has resolved, and also writes that are
   * still being synced: a power cut may undo what was read. With `isSynced`, these are on the disk before the promise
   * resolves. Set it if the result is shown to somebody who must never see it undone. Once a sync has failed, such a
   * read rejects with `UnavailableError`. Rejects with the errors of `translateError`.
   */
  async read<T>(work: () => T, { isSynced }: SyncChoice = { isSynced: false }): Promise<T> {
    let result: T;
    try {
      result = work();
    } catch (error) {
      throw this.#translate(error);
    }
    if (isSynced) await this.#logSync.pending?.catch((error: unknown) => Promise.reject(toFailedSync(error)));
    return result;
  }

  /**
   * Runs `work` later, as one atomic write. What the write depends on must be read inside `work`. The write is on the
   * disk before the promise resolves. Without `isSynced`, it survives the end of the process; until the next synced
   * write has put it on the disk, a power cut may undo it and what was written after it. Rejects with the errors of
   * `translateError`, and with `UnavailableError` if the transaction or its sync fails, or if the database is closed.
   */
  write<T>(work: () => T, { isSynced }: SyncChoice = { isSynced: true }): Promise<T> {
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
   * Writes all items in one transaction. If SQLite finds that transaction unstorable, writes each item in a transaction
   * of its own, in order. Returns the results of `write`, and the unstorable items with the error of each. Nothing is
   * synced.
   */
  async writeStorable<Item, Result>(
    items: readonly Item[],
    write: (items: readonly Item[]) => Result[],
  ): Promise<{ results: Result[]; unstorable: { readonly item: Item; readonly cause: string }[] }> {
    try {
      return { results: await this.write(() => write(items), { isSynced: false }), unstorable: [] };
    } catch (error) {
      if (!(error instanceof UnstorableError)) throw error;
      const cause = describeError(error);
      if (items.length === 1) return { results: [], unstorable: items.map((item) => ({ item, cause })) };
    }
    const outcomes = await Promise.all(items.map((item) => this.writeStorable([item], write)));
    return {
      results: outcomes.flatMap(({ results }) => results),
      unstorable: outcomes.flatMap(({ unstorable }) => unstorable),
    };
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
      this.#logSync.close();
      this.#db.close();
      this.#onClose();
    }
  }

  #commitNext(): void {
    if (this.#writes.length > 0) this.#commitSlice();
    if (this.#writes.length > 0) setImmediate(() => this.#commitNext());
  }

  /**
   * Runs writes in one transaction until none is left or `sliceMs` have passed. A write that fails is rolled back
   * alone. If the transaction fails, all its writes fail. Settles the unsynced writes at once, the others after the
   * sync.
   */
  #commitSlice(): void {
    const endAt = performance.now() + sliceMs;
    const attempts: Attempt[] = [];
    try {
      this.#begin.run();
      for (const write of this.#writes) {
        const attempt: Attempt = { write, error: null };
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
    const synced = attempts.filter(({ write }) => write.isSynced);
    // Also a write that failed or changed nothing waits: its outcome may rest on a write that is not on the disk yet.
    if (synced.length > 0) void this.#settleAfterSync(synced);
    for (const { write, error } of attempts) if (!write.isSynced) write.settle(error);
  }

  async #settleAfterSync(attempts: readonly Attempt[]): Promise<void> {
    let failure: Error | null = null;
    try {
      await this.#logSync.sync();
    } catch (error) {
      failure = toFailedSync(error);
    }
    for (const { write, error } of attempts) write.settle(error ?? failure);
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

/**
 * Makes `get` and `all` round integers that no number of JavaScript holds exactly. `node:sqlite` throws for them, so
 * one damaged row would fail its whole list. The readers of rows reject such a number. BigInts are slow, so a call
 * reads them only after such an error. `runsOnce`: the statement writes, so each call reads BigInts at once.
 */
function readLargeIntegers(statement: StatementSync, { runsOnce }: { readonly runsOnce: boolean }): StatementSync {
  function wrap<T>(read: (...parameters: SQLInputValue[]) => T, toRounded: (result: T) => T) {
    return (...parameters: SQLInputValue[]): T => {
      try {
        if (!runsOnce) return read.apply(statement, parameters);
      } catch (error) {
        if (!(error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE')) throw error;
      }
      statement.setReadBigInts(true);
      try {
        return toRounded(read.apply(statement, parameters));
      } finally {
        statement.setReadBigInts(false);
      }
    };
  }
  const all = wrap<Row[]>(statement.all, (rows) => rows.map(roundIntegers));
  const get = wrap<Row | undefined>(statement.get, (row) => row && roundIntegers(row));
  return Object.assign(statement, { all, get });
}

type Row = Record<string, SQLOutputValue>;

function roundIntegers(row: Row): Row {
  const round = (value: SQLOutputValue) => (typeof value === 'bigint' ? Number(value) : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, round(value)]));
}

function toFailedSync(error: unknown): UnavailableError {
  return new UnavailableError(`SQLite: the sync to the disk failed: ${describeError(error)}`, error);
}

/** For a transaction that failed: the error says nothing about a single write, so a retry may help. */
function toUnavailable(error: Error): Error {
  return error instanceof UnavailableError ? error : new UnavailableError(error.message, error);
}
