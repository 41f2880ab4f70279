import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { withDeadline } from './clock.ts';

/** Blocks the event loop. */
function blockEventLoop(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test('withDeadline passes on a result or an error that comes in time', async () => {
  expect(await withDeadline(Promise.resolve('answer'), 20, 'store')).toBe('answer');
  await expect(withDeadline(Promise.reject(new Error('broken')), 20, 'store')).rejects.toThrow('broken');
});

test('withDeadline rejects with UnavailableError at the deadline', async () => {
  const startedAtMs = performance.now();
  const error = await withDeadline(new Promise(() => undefined), 20, 'store').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnavailableError);
  expect((error as UnavailableError).internalMessage).toBe('store: no answer within 20 ms');
  expect(performance.now() - startedAtMs).toBeGreaterThan(18);
});

test('withDeadline accepts an answer that arrived in time while this process was busy', async () => {
  // Another thread computes the bytes. The event loop delivers them in the same phase as data from sockets.
  const compute = promisify(randomBytes);
  // After this the event loop is in that phase. Its next phase runs timers.
  await compute(1);
  const result = withDeadline(compute(8), 20, 'store');
  blockEventLoop(60);
  expect(await result).toHaveLength(8);
});

test('withDeadline drops an error that comes after the deadline', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await expect(withDeadline(promise, 1, 'store')).rejects.toThrow(UnavailableError);
  reject(new Error('late'));
  await new Promise(setImmediate);
});
