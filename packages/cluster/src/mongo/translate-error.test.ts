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
import { runPortCall } from './translate-error.ts';

test.each([
  ['a lost connection', new MongoNetworkError('connection 1 to 127.0.0.1:27017 closed')],
  ['no server', new MongoServerSelectionError('connect ECONNREFUSED', {} as TopologyDescription)],
  ['a server that is no longer primary', new MongoServerError({ message: 'not primary', code: 10107 })],
  ['a query over its time', new MongoServerError({ message: 'exceeded time limit', code: 50 })],
  ['a full disk', new MongoServerError({ message: 'out of disk space', code: 14031 })],
  ['an unknown code', new MongoServerError({ message: 'what?', code: 424242 })],
])('%s is unavailable', async (_, error) => {
  expect(await translationOf(error)).toBeInstanceOf(UnavailableError);
});

// The driver throws them as they are when a connection breaks while it waits until the socket takes more.
test.each([
  ['a refused connection', () => new Promise((resolve) => connect(1, '127.0.0.1').on('error', resolve))],
  ['a socket that is gone', () => new Promise((resolve) => new Socket().destroy().write('more', resolve))],
])('an error of Node itself, %s, is unavailable', async (_, meet) => {
  const error = await meet();
  expect(error).toBeInstanceOf(Error);
  expect(await translationOf(error)).toBeInstanceOf(UnavailableError);
});

test.each([
  ['a document over the limit', new MongoServerError({ message: 'object to insert too large', code: 10334 })],
  [
    'a document over the limit of another server',
    new MongoServerError({ message: 'Size 17000026 is larger than MaxDocumentSize 16777216', code: 285999133 }),
  ],
  ['a document the driver will not send', new MongoInvalidArgumentError('Document is larger than the maximum size')],
  ['a document with an impossible name', caught(() => BSON.serialize({ 'a\0': 1 }))],
  ['an id that is none', caught(() => new UUID('nope'))],
  ['a failed validation', new MongoServerError({ message: 'Document failed validation', code: 121 })],
  [
    'a failed validation of another server',
    new MongoServerError({ message: 'Document failed validation', code: 525074461 }),
  ],
])('%s is refused', async (_, error) => {
  expect(await translationOf(error)).toBeInstanceOf(UnstorableError);
});

test('a refusal carries nothing of the document', async () => {
  const error = new MongoServerError({ message: 'E11000 dup key: { email: "a@b.example" }', code: 11000 });
  const translated = (await translationOf(error)) as UnstorableError;
  expect(translated.cause).toBeUndefined();
  expect(`${translated.message} ${translated.internalMessage}`).not.toContain('a@b.example');
});

test('errors that are not of the driver stay as they are', async () => {
  const own = new UnavailableError('own');
  const bug = new TypeError('bug');
  expect(await translationOf(own)).toBe(own);
  expect(await translationOf(bug)).toBe(bug);
});

test('a call without an answer is unavailable at its deadline', async () => {
  const call = runPortCall('read', () => new Promise(() => undefined), 20);
  await expect(call).rejects.toThrow(UnavailableError);
});

function translationOf(error: unknown): Promise<unknown> {
  return runPortCall('write', () => Promise.reject(error)).catch((translated: unknown) => translated);
}

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
