import { MongoBulkWriteError } from 'mongodb';

/**
 * Builds the driver's error of an unordered bulk. `codes`: the server's code for each failed operation, by index.
 * `writeConcernError`: the majority did not confirm the writes.
 */
export function aBulkError(codes: Readonly<Record<number, number>>, writeConcernError?: object): MongoBulkWriteError {
  const writeErrors = Object.entries(codes).map(([index, code]) => ({ index: Number(index), code, errmsg: 'no' }));
  const result = { matchedCount: 1, getWriteConcernError: () => writeConcernError };
  return Object.assign(Object.create(MongoBulkWriteError.prototype), { writeErrors, result }) as MongoBulkWriteError;
}
