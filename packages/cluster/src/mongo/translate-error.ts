import { ServiceError, UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import {
  BSON,
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type WriteError,
} from 'mongodb';

/** Codes, with names, of a value or index that the server never accepts. Every other code counts as temporary. */
const unstorableCodes: ReadonlyMap<number, string> = new Map([
  [2, 'BadValue'],
  [9, 'FailedToParse'],
  [14, 'TypeMismatch'],
  [15, 'Overflow'],
  [22, 'InvalidBSON'],
  [28, 'PathNotViable'],
  [40, 'ConflictingUpdateOperators'],
  [52, 'DollarPrefixedFieldName'],
  [56, 'EmptyFieldName'],
  [57, 'DottedFieldName'],
  [67, 'CannotCreateIndex'],
  [85, 'IndexOptionsConflict'],
  [86, 'IndexKeySpecsConflict'],
  [121, 'DocumentValidationFailure'],
  [10334, 'BSONObjectTooLarge'],
  [11000, 'DuplicateKey'], // Where the caller expects none.
  [17280, 'KeyTooLong'],
  [17419, 'document too large after the update'],
  [17420, 'document too large after the insert'],
]);

/** Codes of common temporary errors, for the log. */
const temporaryCodes: ReadonlyMap<number, string> = new Map([
  [50, 'exceeded its time limit'],
  [64, 'the majority did not confirm the write in time'],
  [91, 'the server shuts down'],
  [189, 'the primary stepped down'],
  [10107, 'is not the primary'],
  [11600, 'the server shuts down'],
  [11602, 'the primary stepped down'],
  [13435, 'is not the primary'],
]);

/** Other servers that speak MongoDB's protocol use their own codes for these errors. */
const unstorableMessages = /larger than (the )?max|failed validation/i;

/**
 * Runs one port call, and translates the driver's errors to the kernel's: `UnavailableError` or `UnstorableError`.
 * Rejects with `UnavailableError` after `deadlineMs`. `operation` names the call in the error.
 */
export function runPortCall<T>(operation: string, work: () => Promise<T>, deadlineMs = requestDeadlineMs): Promise<T> {
  return withDeadline(translateErrors(operation, work), deadlineMs, `MongoDB, ${operation}`);
}

/**
 * As `runPortCall`, for a call that only reads. Every error of the server becomes `UnavailableError`: for example, it
 * may reject a hint while the index is being built.
 */
export function runRead<T>(operation: string, work: () => Promise<T>, deadlineMs = requestDeadlineMs): Promise<T> {
  const read = () =>
    work().catch((error: unknown) => {
      if (!(error instanceof MongoServerError)) throw error;
      throw new UnavailableError(`MongoDB, ${operation}: ${describeDriverError(error)}`);
    });
  return runPortCall(operation, read, deadlineMs);
}

/** Like `runPortCall` without a deadline: building an index may take long. */
export async function translateErrors<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(operation, error);
  }
}

/** True if a write violated a unique index. For a bulk: if the first of its failed writes did. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

const duplicateKeyCode = 11000;

/**
 * Inserts a document whose `_id` no other call uses. Repeats the insert once if the connection breaks, because the
 * driver (7.8) repeats only one of the writes that were in flight at a crash of the primary. If the first attempt
 * succeeded, the repetition finds its document: `insert` must treat that as success.
 */
export async function insertRepeatably<T>(insert: (isRepeated: boolean) => Promise<T>): Promise<T> {
  const end = performance.now() + requestDeadlineMs;
  try {
    return await insert(false);
  } catch (error) {
    const isBroken = error instanceof MongoNetworkError || isWithoutAnswer(error);
    if (!isBroken || performance.now() > end) throw error;
    return await insert(true);
  }
}

/** Runs an upsert. If another upsert inserts the document first, repeats it once: now it updates that document. */
export async function retryOnDuplicateKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDuplicateKey(error)) return await work();
    throw error;
  }
}

/**
 * Translates an error of the driver to a `ServiceError`. Of an error of the server, or about an unstorable value, it
 * keeps only name and code, because the message may contain the document. Returns any other error (a bug, a
 * `ServiceError`) unchanged.
 */
function translateError(operation: string, error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  if (isUnstorable(error))
    return new UnstorableError(`MongoDB, ${operation}: unstorable: ${describeDriverError(error)}`);
  if (error instanceof MongoServerError && !isWithoutAnswer(error))
    return new UnavailableError(`MongoDB, ${operation}: ${describeDriverError(error)}`);
  if (error instanceof MongoError)
    return new UnavailableError(`MongoDB, ${operation}: ${describeDriverError(error)}`, error);
  if (isSocketError(error)) return new UnavailableError(`MongoDB, ${operation}: ${error.code}`, error);
  return error;
}

/**
 * True for Node's own error of a broken connection. The driver (7.8) passes it on untranslated while its `writeCommand`
 * waits for the socket's `drain`.
 */
function isSocketError(error: unknown): error is NodeJS.ErrnoException {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return error instanceof Error && (syscall !== undefined || code?.startsWith('ERR_STREAM_') === true);
}

/** True if retrying cannot help: the server or the driver never accepts the value. */
function isUnstorable(error: unknown): error is Error {
  // The BSON serialiser throws Node's RangeError when a document outgrows its buffer.
  if (error instanceof BSON.BSONError || error instanceof RangeError) return true;
  if (error instanceof MongoInvalidArgumentError) return true;
  if (!(error instanceof MongoServerError)) return false;
  if (error instanceof MongoBulkWriteError) return isEachWriteUnstorable(error);
  return isUnstorableCode(error.code, error.message);
}

/**
 * True if each failed write of a bulk is unstorable. False if one failed temporarily, or if the majority did not
 * confirm the other writes: a rollback may undo them, so the bulk must run again.
 */
function isEachWriteUnstorable(error: MongoBulkWriteError): boolean {
  if (error.result.getWriteConcernError() !== undefined) return false;
  const writeErrors = [error.writeErrors].flat();
  return writeErrors.length > 0 && writeErrors.every(({ code, errmsg }) => isUnstorableCode(code, errmsg));
}

/** True for a code in `unstorableCodes`, or a message that another server sends for the same error. */
function isUnstorableCode(code: unknown, message: string | undefined): boolean {
  return (typeof code === 'number' && unstorableCodes.has(code)) || unstorableMessages.test(message ?? '');
}

/**
 * True for a bulk that failed before a server answered. The driver copies the text of the cause, and drops the cause.
 */
function isWithoutAnswer(error: unknown): boolean {
  return error instanceof MongoBulkWriteError && error.code === undefined && [error.writeErrors].flat().length === 0;
}

function describeDriverError(error: Error): string {
  if (!(error instanceof MongoError)) return error.name;
  if (error instanceof MongoServerSelectionError) return `${error.name}: ${describeSelectionError(error)}`;
  if (error instanceof MongoBulkWriteError && isWithoutAnswer(error)) return `${error.name}: ${error.message}`;
  return error.code === undefined ? error.name : `${error.name} ${describeCode(error.code, error.message)}`;
}

/**
 * Adds what the driver knows of each server to its message, which says only that it found no primary. The driver
 * forgets servers whose replica set has another name.
 */
export function describeSelectionError({ message, reason }: MongoServerSelectionError): string {
  const servers = [...(reason?.servers?.values() ?? [])].map(
    ({ address, type, setName, error }) =>
      `${address} ${type}${setName == null ? '' : ` of ${setName}`}${error == null ? '' : ` (${error.message})`}`,
  );
  const unknown = reason?.setName == null ? [] : [`no server is a member of ${reason.setName}`];
  return [message, (servers.length === 0 ? unknown : servers).join(', ')].filter(Boolean).join(': ');
}

/** Takes only a known phrase of the message: the rest may contain the document. */
function describeCode(code: number | string | undefined, message: string | undefined): string {
  const name = typeof code === 'number' ? (unstorableCodes.get(code) ?? temporaryCodes.get(code)) : undefined;
  const phrase = name ?? unstorableMessages.exec(message ?? '')?.[0];
  return phrase === undefined ? `${code}` : `${code} ${phrase}`;
}

/** Describes an error of one write without the document: the server's message may contain it. */
function describeRejection(error: Error | WriteError): string {
  return `MongoDB: ${error instanceof Error ? describeDriverError(error) : describeCode(error.code, error.errmsg)}`;
}

interface RejectedWrite {
  /** The operation's index. */
  readonly index: number;
  /** True: a document with the same key exists. False: the operation is unstorable. */
  readonly isDuplicate: boolean;
  /** The error, without values of the operation. */
  readonly cause: string;
}

interface BulkOutcome {
  /** Of the operations that the server ran. */
  readonly matchedCount: number;
  /** The server ran all other operations. */
  readonly rejected: readonly RejectedWrite[];
}

/**
 * Runs an unordered bulk that may contain unstorable operations. If the driver does not send the bulk, sends each
 * operation alone. Throws every other error; then the server may have run any of the operations.
 */
export async function writeStorable<Operation>(
  operations: readonly Operation[],
  write: (operations: Operation[]) => Promise<{ readonly matchedCount?: number }>,
): Promise<BulkOutcome> {
  try {
    const { matchedCount = 0 } = await write([...operations]);
    return { matchedCount, rejected: [] };
  } catch (error) {
    if (error instanceof MongoBulkWriteError)
      return { matchedCount: error.matchedCount, rejected: readRejected(error) };
    if (!isUnstorable(error)) throw error;
    if (operations.length > 1) return writeEach(operations, write);
    return { matchedCount: 0, rejected: [{ index: 0, isDuplicate: false, cause: describeRejection(error) }] };
  }
}

async function writeEach<Operation>(
  operations: readonly Operation[],
  write: (operations: Operation[]) => Promise<{ readonly matchedCount?: number }>,
): Promise<BulkOutcome> {
  const rejected: RejectedWrite[] = [];
  let matchedCount = 0;
  for (const [index, operation] of operations.entries()) {
    const outcome = await writeStorable([operation], write);
    matchedCount += outcome.matchedCount;
    rejected.push(...outcome.rejected.map((write) => ({ ...write, index })));
  }
  return { matchedCount, rejected };
}

/** Throws on any other failure. */
function readRejected(error: MongoBulkWriteError): RejectedWrite[] {
  if (!isEachWriteUnstorable(error)) throw error;
  return [error.writeErrors].flat().map((writeError) => ({
    index: writeError.index,
    isDuplicate: writeError.code === duplicateKeyCode,
    cause: describeRejection(writeError),
  }));
}
