import { expect, test } from 'vitest';
import { makeReadOnce } from './page.ts';

test('reads once, however often and at once it is asked', async () => {
  let reads = 0;
  const read = makeReadOnce(async () => {
    reads += 1;
    return 'content';
  });
  expect(await Promise.all([read(), read()])).toEqual(['content', 'content']);
  expect(await read()).toBe('content');
  expect(reads).toBe(1);
});

test('forgets a failure: it reads again when asked again', async () => {
  const outcomes = [() => Promise.reject(new Error('too many open files')), async () => 'content'];
  const read = makeReadOnce<string>(() => outcomes.shift()?.() ?? Promise.reject(new Error('read too often')));
  const failed = [read(), read()];
  for (const each of failed) await expect(each).rejects.toThrow('too many open files');
  expect(await read()).toBe('content');
  expect(await read()).toBe('content');
});
