import { expect, test } from 'vitest';
import { toHeaders } from './source-examples.ts';

test('a header that stands twice was sent twice', () => {
  expect(toHeaders('A: 1\na: 2')).toEqual({ a: ['1', '2'] });
});

test('a header without a value is there, and a line with anything else is none', () => {
  expect(toHeaders('X-Gitlab-Token\r\nb:\nPOST /hooks HTTP/1.1\n: c')).toEqual({ 'x-gitlab-token': [''], b: [''] });
});
