import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { inspectFile } from './database-file.ts';
import { databaseFileName } from './open-database.ts';

/** How long the copy waits for a lock that a starting or stopping service holds for a moment. */
const lockTimeoutMs = 5_000;

/**
 * Copies the database of `dataDir` to the new file `target`, whose folder it creates, while the service runs or not. The copy holds everything
 * that was confirmed before the call. `target` exists only once the copy is complete, checked and on the disk. Returns
 * its size in bytes.
 *
 * Throws an `ExitError` (configuration) if there is no database, if `target` exists, or if the copy cannot be made; and
 * `DatabaseUnusableError` if the copy turns out to be damaged, because the database is.
 */
export function backUpDatabase(dataDir: string, target: string): number {
  const source = join(dataDir, databaseFileName);
  if (!existsSync(source)) throw new BackupError(`DATA_DIR: ${source} does not exist; there is nothing to back up`);
  if (existsSync(target)) throw new BackupError(`${target} exists; name a new file`);
  const partial = `${target}.partial`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    copyTo(partial, source);
    inspectFile(partial, lockTimeoutMs);
    sync(partial);
    renameSync(partial, target);
    sync(dirname(target));
  } catch (error) {
    if (existsSync(partial)) rmSync(partial);
    if (error instanceof ExitError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupError(`${target} could not be written (${reason})`, error);
  }
  return statSync(target).size;
}

/** The backup cannot be made. Nothing was changed. */
class BackupError extends ExitError {
  constructor(message: string, cause?: unknown) {
    super(exitCodes.configuration, message, { cause });
  }
}

/** `VACUUM INTO` reads one state of the database, whatever is written meanwhile, and accepts an empty target. */
function copyTo(target: string, source: string): void {
  rmSync(target, { force: true });
  // For its owner alone, as the database itself: it has e-mails and the hashes of passwords.
  closeSync(openSync(target, 'wx', 0o600));
  const db = new DatabaseSync(source, { readOnly: true, timeout: lockTimeoutMs });
  try {
    db.prepare('VACUUM INTO ?').run(target);
  } finally {
    db.close();
  }
}

function sync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
