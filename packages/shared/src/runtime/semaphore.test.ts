import { expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { createSemaphore } from './semaphore.ts';

const options = { what: 'work', maxRunning: 2, maxWaiting: 3, maxWaitMs: 60_000 };

function controlled() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, finish: resolve };
}

test('at most maxRunning run at once, and the others follow in order', async () => {
  const limit = createSemaphore(options);
  const started: number[] = [];
  const jobs = Array.from({ length: 5 }, controlled);
  const all = jobs.map((job, index) =>
    limit(() => {
      started.push(index);
      return job.work();
    }),
  );
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  jobs[1]?.finish();
  await all[1];
  expect(started).toEqual([0, 1, 2]);
  for (const job of jobs) job.finish();
  await Promise.all(all);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('a failing piece of work gives its turn on', async () => {
  const limit = createSemaphore({ ...options, maxRunning: 1 });
  await expect(limit(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limit(async () => 'next')).resolves.toBe('next');
});

test('too many waiting are refused at once', async () => {
  const limit = createSemaphore({ ...options, maxRunning: 1, maxWaiting: 1 });
  const job = controlled();
  const running = limit(job.work);
  const waiting = limit(async () => 'waited');
  await expect(limit(async () => 'never')).rejects.toBeInstanceOf(UnavailableError);
  job.finish();
  await running;
  await expect(waiting).resolves.toBe('waited');
});

test('waiting too long is refused, and the turn is not lost', async () => {
  const limit = createSemaphore({ ...options, maxRunning: 1, maxWaitMs: 5 });
  const job = controlled();
  const running = limit(job.work);
  await expect(limit(async () => 'never')).rejects.toBeInstanceOf(UnavailableError);
  job.finish();
  await running;
  await expect(limit(async () => 'after')).resolves.toBe('after');
});
