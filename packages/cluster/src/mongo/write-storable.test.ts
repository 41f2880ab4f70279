import { MongoInvalidArgumentError, MongoNetworkError } from 'mongodb';
import { expect, test } from 'vitest';
import { aBulkError } from './testing/bulk-error.ts';
import { writeStorable } from './write-storable.ts';

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
