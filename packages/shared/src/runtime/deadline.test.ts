import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { withDeadline } from './deadline.ts';

/** Keeps the event loop from turning. */
function beBusy(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test('an answer in time is passed on, and so is a failure', async () => {
  expect(await withDeadline(Promise.resolve('answer'), 20, 'store')).toBe('answer');
  await expect(withDeadline(Promise.reject(new Error('broken')), 20, 'store')).rejects.toThrow('broken');
});

test('without an answer it is given up at the deadline', async () => {
  const startedAtMs = performance.now();
  const error = await withDeadline(new Promise(() => undefined), 20, 'store').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnavailableError);
  expect((error as UnavailableError).internalMessage).toBe('store: no answer within 20 ms');
  expect(performance.now() - startedAtMs).toBeGreaterThan(18);
});

test('an answer that came in time is read, also when this process was too busy to read it before the deadline', async () => {
  // Made on another thread, and handed over by the event loop as what a socket has received is.
  const ask = promisify(randomBytes);
  // What goes on here is in the loop's turn for such answers; its timers are next.
  await ask(1);
  const answer = ask(8);
  const asked = withDeadline(answer, 20, 'store');
  beBusy(60);
  expect(await asked).toHaveLength(8);
});

test('what comes too late is dropped, also a failure', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await expect(withDeadline(promise, 1, 'store')).rejects.toThrow(UnavailableError);
  reject(new Error('late'));
  await new Promise(setImmediate);
});
