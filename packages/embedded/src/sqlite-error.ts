import { ServiceError, UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';

/** Primary result codes by which SQLite says that it will never take this: too big, constraint, mismatch. */
const unstorableCodes = new Set([18, 19, 20]);
const busy = 5;
const readOnly = 8;
const corrupt = 11;
const cannotOpen = 14;
const notADatabase = 26;
/** Extended codes: what is in the file could not be read, or was not what the file system knows it should be. */
const failedReads = new Set([266, 522, 8202, 8458]);

interface SqliteError extends Error {
  /** SQLite's extended result code; its low byte is the primary one. */
  readonly errcode: number;
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busy;
}

/** The file, or the folder it is in, cannot be written to or is something else. */
export function isUnusablePlace(error: unknown): boolean {
  const code = primaryCode(error);
  const isOfFileSystem = error instanceof Error && 'syscall' in error;
  return isOfFileSystem || code === readOnly || code === cannotOpen;
}

export function isNoDatabase(error: unknown): boolean {
  return primaryCode(error) === notADatabase;
}

/** What the file says contradicts itself: it must not be written to any more. */
export function isDamage(error: unknown): boolean {
  return primaryCode(error) === corrupt || isNoDatabase(error);
}

export function isFailedRead(error: unknown): boolean {
  return isSqliteError(error) && failedReads.has(error.errcode);
}

/** Null for what is no error of SQLite. */
function primaryCode(error: unknown): number | null {
  return isSqliteError(error) ? error.errcode & 0xff : null;
}

/** A failure of the database as the ports tell it. */
export function translateError(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  if (isSqliteError(error)) {
    const text = `SQLite: ${error.message} (${error.errcode})`;
    return unstorableCodes.has(error.errcode & 0xff)
      ? new UnstorableError(text, error)
      : new UnavailableError(text, error);
  }
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') {
    return new UnavailableError('SQLite: the database is closed', error);
  }
  // Anything else is a mistake of ours, which trying again would not mend.
  return new UnstorableError(`SQLite adapter: ${error instanceof Error ? error.message : String(error)}`, error);
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
