import { ServiceError, UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';

/** Primary result codes for a value that SQLite never accepts: SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH. */
const unstorableCodes = new Set([18, 19, 20]);
const busy = 5;
const readOnly = 8;
const corrupt = 11;
const cannotOpen = 14;
const notADatabase = 26;
/**
 * Extended codes for a read that failed, or returned what the file system knows to be wrong: SQLITE_IOERR_READ,
 * _SHORT_READ, _DATA, _CORRUPTFS.
 */
const failedReads = new Set([266, 522, 8202, 8458]);

interface SqliteError extends Error {
  /** SQLite's extended result code. Its low byte is the primary code. */
  readonly errcode: number;
}

/** True if another process has locked the file. */
export function isBusy(error: unknown): boolean {
  return readPrimaryCode(error) === busy;
}

/**
 * True if the process cannot open or write the file or its directory, for example because a path is of another type.
 */
export function isUnusablePlace(error: unknown): boolean {
  const code = readPrimaryCode(error);
  const isFromFileSystem = error instanceof Error && 'syscall' in error;
  return isFromFileSystem || code === readOnly || code === cannotOpen;
}

export function isNoDatabase(error: unknown): boolean {
  return readPrimaryCode(error) === notADatabase;
}

/** True if the file is damaged, or is not a database. Nothing may write to the file after that. */
export function isDamage(error: unknown): boolean {
  return readPrimaryCode(error) === corrupt || isNoDatabase(error);
}

/** True if the system could not read the file correctly (see `failedReads`). */
export function isFailedRead(error: unknown): boolean {
  return isSqliteError(error) && failedReads.has(error.errcode);
}

/** Returns SQLite's primary result code, or null if the error does not come from SQLite. */
function readPrimaryCode(error: unknown): number | null {
  return isSqliteError(error) ? error.errcode & 0xff : null;
}

/**
 * Translates an error of the database into the errors of the ports: `UnstorableError` for a value that SQLite never
 * accepts and for a bug in an adapter, otherwise `UnavailableError`. Returns a `ServiceError` unchanged.
 */
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
  // Anything else is a bug in an adapter. Retrying does not help.
  return new UnstorableError(`SQLite adapter: ${error instanceof Error ? error.message : String(error)}`, error);
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
