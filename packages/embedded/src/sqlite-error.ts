import { ServiceError, StoreRefusedError, UnavailableError } from '@widget-service/shared/domain/errors.ts';

/** Primary result codes by which SQLite says that it will never take this: too big, constraint, mismatch. */
const refusals = new Set([18, 19, 20]);
const busy = 5;

interface SqliteError extends Error {
  /** SQLite's extended result code; its low byte is the primary one. */
  readonly errcode: number;
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === busy;
}

/** A failure of the database as the ports tell it. */
export function translateError(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  if (isSqliteError(error)) {
    const text = `SQLite: ${error.message} (${error.errcode})`;
    return refusals.has(error.errcode & 0xff) ? new StoreRefusedError(text, error) : new UnavailableError(text, error);
  }
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') {
    return new UnavailableError('SQLite: the database is closed', error);
  }
  // Anything else is a mistake of ours, which trying again would not mend.
  return new StoreRefusedError(`SQLite adapter: ${error instanceof Error ? error.message : String(error)}`, error);
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
