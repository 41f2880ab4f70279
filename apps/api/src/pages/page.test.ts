import { expect, test } from 'vitest';
import { makeReadOnce } from './page.ts';

test('makeReadOnce reads once for concurrent and later calls', async () => {
  let reads = 0;
  const read = makeReadOnce(async () => {
    reads += 1;
    return 'content';
  });
  expect(await Promise.all([read(), read()])).toEqual(['content', 'content']);
  expect(await read()).toBe('content');
  expect(reads).toBe(1);
});

test('makeReadOnce reads again after a failure', async () => {
  const outcomes = [() => Promise.reject(new Error('too many open files')), async () => 'content'];
  const read = makeReadOnce<string>(() => outcomes.shift()?.() ?? Promise.reject(new Error('read too often')));
  const failingReads = [read(), read()];
  for (const failingRead of failingReads) await expect(failingRead).rejects.toThrow('too many open files');
  expect(await read()).toBe('content');
  expect(await read()).toBe('content');
});
