import { MongoWriteConcernError } from 'mongodb';
import { expect, test } from 'vitest';
import { RunCalls } from './run-calls.ts';
import { aBulkError } from './testing/bulk-error.ts';

const unconfirmed = () =>
  new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } });

/** Runs calls that fail with these errors, and returns the deadline of the call after them. */
async function findDeadline(errors: readonly unknown[], pauseMs = 0) {
  let nowMs = 0;
  const calls = new RunCalls(() => nowMs);
  for (const error of errors) await calls.run('write', () => Promise.reject(error)).catch(() => undefined);
  nowMs += pauseMs;
  return calls.run('write', async ({ deadlineMs }) => deadlineMs);
}

test.each([
  ['no call', [], 5_000],
  ['a write that the majority did not confirm', [unconfirmed()], 10_000],
  ['a bulk that the majority did not confirm', [aBulkError({}, { code: 64, errmsg: 'timed out' })], 10_000],
  ['two such writes', [unconfirmed(), unconfirmed()], 24_000],
  ['many such writes', Array.from({ length: 9 }, unconfirmed), 24_000],
  ['another error', [new Error('closed')], 5_000],
])('after %s, %o, a call of a run has a deadline of %i ms', async (_, errors, deadlineMs) => {
  expect(await findDeadline(errors)).toBe(deadlineMs);
});

test('calls that ran at the same time count once', async () => {
  const calls = new RunCalls();
  const failing = [1, 2, 3].map(() => calls.run('write', () => Promise.reject(unconfirmed())).catch(() => undefined));
  await Promise.all(failing);
  expect(await calls.run('write', async ({ deadlineMs }) => deadlineMs)).toBe(10_000);
});

test('a minute after the last such write, the deadline is the first one again', async () => {
  expect(await findDeadline([unconfirmed()], 60_001)).toBe(5_000);
});
