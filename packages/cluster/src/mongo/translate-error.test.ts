import { connect, Socket } from 'node:net';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import {
  BSON,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type TopologyDescription,
  UUID,
} from 'mongodb';
import { expect, test } from 'vitest';
import { aBulkError } from './testing/bulk-error.ts';
import { runPortCall, writeStorable } from './translate-error.ts';

test.each([
  ['a lost connection', new MongoNetworkError('connection 1 to 127.0.0.1:27017 closed')],
  ['no server', new MongoServerSelectionError('connect ECONNREFUSED', {} as TopologyDescription)],
  ['a server that is no longer primary', new MongoServerError({ message: 'not primary', code: 10107 })],
  ['a query that exceeded its time limit', new MongoServerError({ message: 'exceeded time limit', code: 50 })],
  ['a full disk', new MongoServerError({ message: 'out of disk space', code: 14031 })],
  ['an unknown code', new MongoServerError({ message: 'what?', code: 424242 })],
  ['a bulk of which one write failed temporarily', aBulkError({ 0: 121, 1: 10107 })],
  [
    'a bulk whose other writes the majority did not confirm',
    aBulkError({ 0: 11000 }, { errmsg: 'waiting for replication timed out' }),
  ],
])('translates %s to UnavailableError', async (_, error) => {
  expect(await translate(error)).toBeInstanceOf(UnavailableError);
});

// The driver passes these on untranslated when a connection breaks while it waits for the socket's `drain`.
test.each([
  ['a refused connection', () => new Promise((resolve) => connect(1, '127.0.0.1').on('error', resolve))],
  ['a write to a destroyed socket', () => new Promise((resolve) => new Socket().destroy().write('more', resolve))],
])('translates an error of Node itself, %s, to UnavailableError', async (_, provokeError) => {
  const error = await provokeError();
  expect(error).toBeInstanceOf(Error);
  expect(await translate(error)).toBeInstanceOf(UnavailableError);
});

test.each([
  ['a document over the size limit', new MongoServerError({ message: 'object to insert too large', code: 10334 })],
  [
    'a document over the size limit of another server',
    new MongoServerError({ message: 'Size 17000026 is larger than MaxDocumentSize 16777216', code: 285999133 }),
  ],
  [
    'a document that the driver does not send',
    new MongoInvalidArgumentError('Document is larger than the maximum size'),
  ],
  ['a document with an invalid member name', catchError(() => BSON.serialize({ 'a\0': 1 }))],
  ['an invalid UUID', catchError(() => new UUID('nope'))],
  ['a bulk of which one write is unstorable', aBulkError({ 0: 11000, 2: 121 })],
  ['a failed validation', new MongoServerError({ message: 'Document failed validation', code: 121 })],
  [
    'a failed validation of another server',
    new MongoServerError({ message: 'Document failed validation', code: 525074461 }),
  ],
])('translates %s to UnstorableError', async (_, error) => {
  expect(await translate(error)).toBeInstanceOf(UnstorableError);
});

test('an UnstorableError contains nothing of the document', async () => {
  const error = new MongoServerError({ message: 'E11000 dup key: { email: "a@b.example" }', code: 11000 });
  const translated = (await translate(error)) as UnstorableError;
  expect(translated.cause).toBeUndefined();
  expect(`${translated.message} ${translated.internalMessage}`).not.toContain('a@b.example');
});

test('errors that are not from the driver are returned unchanged', async () => {
  const serviceError = new UnavailableError('own');
  const bug = new TypeError('bug');
  expect(await translate(serviceError)).toBe(serviceError);
  expect(await translate(bug)).toBe(bug);
});

test('runPortCall rejects with UnavailableError at its deadline', async () => {
  const call = runPortCall('read', () => new Promise(() => undefined), 20);
  await expect(call).rejects.toThrow(UnavailableError);
});

function translate(error: unknown): Promise<unknown> {
  return runPortCall('write', () => Promise.reject(error)).catch((translated: unknown) => translated);
}

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

const writeAndFail = (error: unknown) => writeStorable(['a', 'b', 'c'], () => Promise.reject(error));

test('returns the index of each rejected operation, and whether it is a duplicate', async () => {
  expect(await writeAndFail(aBulkError({ 0: 121, 2: 11000 }))).toEqual({
    matchedCount: 1,
    rejected: [
      { index: 0, isDuplicate: false, cause: 'MongoDB: 121 DocumentValidationFailure' },
      { index: 2, isDuplicate: true, cause: 'MongoDB: 11000 DuplicateKey' },
    ],
  });
});

test.each<[string, unknown]>([
  ['one operation failed temporarily', aBulkError({ 0: 121, 1: 10107 })],
  [
    'the majority did not confirm the other operations',
    aBulkError({ 0: 121 }, { errmsg: 'waiting for replication timed out' }),
  ],
  ['the error names no operation', aBulkError({})],
  ['the connection was lost', new MongoNetworkError('closed')],
])('rejects with the driver error when %s', async (_, error) => {
  await expect(writeAndFail(error)).rejects.toBe(error);
});

test('sends each operation alone when the driver does not send the bulk', async () => {
  const sent: string[][] = [];
  const outcome = await writeStorable(['a', 'too large', 'c'], async (batch) => {
    sent.push(batch);
    if (batch.includes('too large')) throw new MongoInvalidArgumentError('Document is larger than the maximum size');
    return { matchedCount: batch.length };
  });
  const cause = 'MongoDB: MongoInvalidArgumentError';
  expect(outcome).toEqual({ matchedCount: 2, rejected: [{ index: 1, isDuplicate: false, cause }] });
  expect(sent).toEqual([['a', 'too large', 'c'], ['a'], ['too large'], ['c']]);
});
