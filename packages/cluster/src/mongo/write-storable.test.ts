import { MongoBulkWriteError, MongoInvalidArgumentError, MongoNetworkError } from 'mongodb';
import { expect, test } from 'vitest';
import { writeStorable } from './write-storable.ts';

/** What the driver throws for an unordered bulk; `concern` stands for a missing word of the majority. */
function bulkError(codes: Readonly<Record<number, number>>, concern?: object): MongoBulkWriteError {
  const writeErrors = Object.entries(codes).map(([index, code]) => ({ index: Number(index), code, errmsg: 'no' }));
  const result = { matchedCount: 1, getWriteConcernError: () => concern };
  return Object.assign(Object.create(MongoBulkWriteError.prototype), { writeErrors, result }) as MongoBulkWriteError;
}

const writing = (outcome: unknown) => writeStorable(['a', 'b', 'c'], () => Promise.reject(outcome));

test('what the server refuses for good is told by its place, and whether it was there already', async () => {
  expect(await writing(bulkError({ 0: 121, 2: 11000 }))).toEqual({
    matchedCount: 1,
    unstorable: [
      { index: 0, isDuplicate: false },
      { index: 2, isDuplicate: true },
    ],
  });
});

test.each<[string, unknown]>([
  ['one of them failed for now', bulkError({ 0: 121, 1: 10107 })],
  ['the majority has not confirmed the others', bulkError({ 0: 121 }, { errmsg: 'waiting for replication timed out' })],
  ['nothing is told of any of them', bulkError({})],
  ['the connection was lost', new MongoNetworkError('closed')],
])('nothing is taken as refused when %s', async (_, error) => {
  await expect(writing(error)).rejects.toBe(error);
});

test('where the driver refuses to send them together, each is sent alone', async () => {
  const sent: string[][] = [];
  const outcome = await writeStorable(['a', 'too large', 'c'], async (some) => {
    sent.push(some);
    if (some.includes('too large')) throw new MongoInvalidArgumentError('Document is larger than the maximum size');
    return { matchedCount: some.length };
  });
  expect(outcome).toEqual({ matchedCount: 2, unstorable: [{ index: 1, isDuplicate: false }] });
  expect(sent).toEqual([['a', 'too large', 'c'], ['a'], ['too large'], ['c']]);
});
