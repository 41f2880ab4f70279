import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { ReplyError } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { isConnectionError, translateErrors } from './redis-call.ts';

describe('translateErrors', () => {
  test.each([
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    new Error('Command timed out'),
    new ReplyError('OOM command not allowed when used memory > maxmemory'),
  ])('translates every Redis error to UnavailableError: %s', async (error) => {
    const failure = await translateErrors(Promise.reject(error), 'event log append').catch((reason) => reason);
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure).toMatchObject({ internalMessage: `event log append: ${error.message}`, cause: error });
  });

  test('passes a ServiceError through unchanged', async () => {
    const error = new UnstorableError('too large');
    await expect(translateErrors(Promise.reject(error), 'hook queue add')).rejects.toBe(error);
  });
});

describe('isConnectionError', () => {
  test('returns true for a lost connection and false for an error reply', () => {
    expect(isConnectionError(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toBe(true);
    expect(isConnectionError(new Error('Connection is closed.'))).toBe(true);
    expect(isConnectionError(new ReplyError('OOM command not allowed'))).toBe(false);
    expect(isConnectionError(Object.assign(new Error('Missing lock for job x'), { code: -2 }))).toBe(false);
  });
});
