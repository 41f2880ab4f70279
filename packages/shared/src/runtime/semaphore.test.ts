import { expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { createSemaphore } from './semaphore.ts';

const options = { what: 'work', maxRunning: 2, maxWaiting: 3, maxWaitMs: 60_000 };

/** A piece of work that ends when the test calls `finish`. */
function makeControlledWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, finish: resolve };
}

test('runs at most maxRunning pieces of work at once and starts the others in order of arrival', async () => {
  const limit = createSemaphore(options);
  const started: number[] = [];
  const jobs = Array.from({ length: 5 }, makeControlledWork);
  const outcomes = jobs.map((job, index) =>
    limit(() => {
      started.push(index);
      return job.work();
    }),
  );
  expect(started).toEqual([0, 1]);
  jobs[1]?.finish();
  await outcomes[1];
  expect(started).toEqual([0, 1, 2]);
  for (const job of jobs) job.finish();
  await Promise.all(outcomes);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('frees the slot of work that fails', async () => {
  const limit = createSemaphore({ ...options, maxRunning: 1 });
  await expect(limit(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limit(async () => 'next')).resolves.toBe('next');
});

test('rejects with UnavailableError at once when maxWaiting pieces of work wait', async () => {
  const limit = createSemaphore({ ...options, maxRunning: 1, maxWaiting: 1 });
  const job = makeControlledWork();
  const running = limit(job.work);
  const waiting = limit(async () => 'waited');
  await expect(limit(async () => 'never')).rejects.toBeInstanceOf(UnavailableError);
  job.finish();
  await running;
  await expect(waiting).resolves.toBe('waited');
});

test('rejects with UnavailableError after maxWaitMs and does not lose the slot', async () => {
  const limit = createSemaphore({ ...options, maxRunning: 1, maxWaitMs: 5 });
  const job = makeControlledWork();
  const running = limit(job.work);
  await expect(limit(async () => 'never')).rejects.toBeInstanceOf(UnavailableError);
  job.finish();
  await running;
  await expect(limit(async () => 'after')).resolves.toBe('after');
});

test('keeps no timer of work that was started', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const limit = createSemaphore({ ...options, maxRunning: 1 });
  const job = makeControlledWork();
  const outcomes = [limit(job.work), limit(job.work)];
  expect(vi.getTimerCount()).toBe(1);
  job.finish();
  await Promise.all(outcomes);
  expect(vi.getTimerCount()).toBe(0);
});

test('queues any number of pieces of work when maxWaiting and maxWaitMs are absent', async () => {
  const limit = createSemaphore({ what: 'work', maxRunning: 1 });
  const job = makeControlledWork();
  const running = limit(job.work);
  const waiting = Array.from({ length: 5_000 }, (_, index) => limit(async () => index));
  job.finish();
  await running;
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
});

test('groups take turns, so that a large one does not delay a small one', async () => {
  const limit = createSemaphore({ what: 'work', maxRunning: 1 });
  const job = makeControlledWork();
  const running = limit(job.work, 'flood');
  const started: string[] = [];
  const start = (name: string, group: string) => limit(async () => void started.push(name), group);
  const outcomes = [start('flood 1', 'flood'), start('flood 2', 'flood'), start('flood 3', 'flood')];
  outcomes.push(start('a', 'a'), start('b 1', 'b'), start('b 2', 'b'));
  job.finish();
  await Promise.all([running, ...outcomes]);
  expect(started).toEqual(['flood 1', 'a', 'b 1', 'flood 2', 'b 2', 'flood 3']);
});

test('a full queue rejects the newest work of the largest group', async () => {
  const limit = createSemaphore({ what: 'work', maxRunning: 1, maxWaiting: 3 });
  const job = makeControlledWork();
  const running = limit(job.work);
  const flood = [1, 2, 3, 4].map((name) => limit(async () => name, 'flood'));
  await expect(flood[3]).rejects.toBeInstanceOf(UnavailableError);
  const other = limit(async () => 'other', 'other');
  await expect(flood[2]).rejects.toBeInstanceOf(UnavailableError);
  job.finish();
  await running;
  expect(await Promise.all([flood[0], flood[1], other])).toEqual([1, 2, 'other']);
});
