import { ServiceError, UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { BSON, MongoBulkWriteError, MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';

/**
 * What one step of a run may take. A run carries whole batches and nobody waits for it: with the requests' deadline a
 * store that needs three seconds for a batch would be asked for the same batch for ever.
 */
export const runDeadlineMs = 5000;

/** Server codes that stand for "not this, and not later either". Everything else is taken to be temporary. */
const unstorableCodes: ReadonlySet<number> = new Set([
  2, // BadValue
  9, // FailedToParse
  14, // TypeMismatch
  15, // Overflow
  22, // InvalidBSON
  28, // PathNotViable
  40, // ConflictingUpdateOperators
  52, // DollarPrefixedFieldName
  56, // EmptyFieldName
  57, // DottedFieldName
  67, // CannotCreateIndex
  85, // IndexOptionsConflict
  86, // IndexKeySpecsConflict
  121, // DocumentValidationFailure
  10334, // BSONObjectTooLarge
  11000, // DuplicateKey, where no repetition is expected
  17280, // KeyTooLong
  17419, // the document would be too large after the update
  17420, // the document would be too large after the insert
]);

/** Servers that speak the protocol without being MongoDB have codes of their own for these. */
const refusedByText = /larger than (the )?max|failed validation/i;

/** Runs one port call: at most `deadlineMs` long, and with the kernel's errors instead of the driver's. */
export function runPortCall<T>(what: string, work: () => Promise<T>, deadlineMs = requestDeadlineMs): Promise<T> {
  return withDeadline(translateErrors(what, work), deadlineMs, `MongoDB, ${what}`);
}

/** Like `guarded`, for what may take as long as it takes: building an index. */
export async function translateErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(what, error);
  }
}

/** True for a write that met a unique index, also where it was one of many in a bulk. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

export const duplicateKeyCode = 11000;

/** An upsert that loses the race for the insert finds the document at its second try. */
export async function retryOnDuplicateKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDuplicateKey(error)) return await work();
    throw error;
  }
}

/**
 * The kernel's error for one of the driver's. A refusal keeps only the driver error's name and code: its text and its
 * members may hold the refused document. What is no error of the driver or a socket (a bug, a `ServiceError`) stays.
 */
function translateError(what: string, error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  if (isUnstorable(error)) return new UnstorableError(`MongoDB, ${what}: refused with ${describeDriverError(error)}`);
  if (error instanceof MongoServerError) return new UnavailableError(`MongoDB, ${what}: ${describeDriverError(error)}`);
  if (error instanceof MongoError)
    return new UnavailableError(`MongoDB, ${what}: ${describeDriverError(error)}`, error);
  if (isSocketError(error)) return new UnavailableError(`MongoDB, ${what}: ${error.code}`, error);
  return error;
}

/**
 * A broken connection in Node's own words: the driver passes the error on as it is while it waits until a socket takes
 * more (`drain` in its `writeCommand`, version 7.8).
 */
function isSocketError(error: unknown): error is NodeJS.ErrnoException {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return error instanceof Error && (syscall !== undefined || code?.startsWith('ERR_STREAM_') === true);
}

/** True for what no later try would mend: the server or the driver will not take it. */
export function isUnstorable(error: unknown): error is Error {
  // The serialiser throws a RangeError of Node's where a document outgrows its buffer.
  if (error instanceof BSON.BSONError || error instanceof RangeError) return true;
  if (error instanceof MongoInvalidArgumentError) return true;
  if (!(error instanceof MongoServerError)) return false;
  // One temporary failure in a bulk makes its repetition worth while.
  if (error instanceof MongoBulkWriteError) {
    const writeErrors = [error.writeErrors].flat();
    return writeErrors.length > 0 && writeErrors.every((one) => isUnstorableCode(one.code, one.errmsg));
  }
  return isUnstorableCode(error.code, error.message);
}

export function isUnstorableCode(code: unknown, message: string | undefined): boolean {
  return (typeof code === 'number' && unstorableCodes.has(code)) || refusedByText.test(message ?? '');
}

function describeDriverError(error: Error): string {
  return error instanceof MongoError && error.code !== undefined ? `${error.name} ${error.code}` : error.name;
}
