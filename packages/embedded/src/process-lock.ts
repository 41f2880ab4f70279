import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Keeps other processes of the service from opening the same database, until `release` or the end of the process. */
export interface ProcessLock {
  release(): void;
}

/**
 * Locks `file`, which stays empty and is never removed: two processes could otherwise lock two files of the same name.
 * The lock is SQLite's own, so it works where SQLite works, and ends with the process. Waits `timeoutMs` for another
 * process; then throws SQLite's error (`isBusy`). Throws other errors of SQLite or the file system unchanged.
 */
export function acquireProcessLock(file: string, timeoutMs: number): ProcessLock {
  createForOwner(file);
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    // SQLite would write a journal beside the file, which needs room and which a killed process leaves behind.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw error;
  }
  return { release: () => db.close() };
}

/** Does not open an existing file: closing it would drop the locks that this process has on it (POSIX). */
function createForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
