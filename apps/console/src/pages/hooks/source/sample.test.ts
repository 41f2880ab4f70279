import { expect, test } from 'vitest';
import { listValues, toHeaders } from './sample.ts';

test('lists the headers and every value of the body with its pointer', () => {
  const sample = { headers: 'X-Event: push\n\nno header', body: '{"a":{"b/c":[1,"two"]},"m~n":null}' };
  expect(listValues(sample).map(({ place, depth, text }) => [Object.values(place)[0], depth, text])).toEqual([
    ['x-event', 0, 'push'],
    ['/a', 0, ''],
    ['/a/b~1c', 1, ''],
    ['/a/b~1c/0', 2, '1'],
    ['/a/b~1c/1', 2, 'two'],
    ['/m~0n', 0, 'null'],
  ]);
});

test('reads forms, and JSON in a form', () => {
  const headers = 'Content-Type: application/x-www-form-urlencoded';
  const pointersOf = (body: string) =>
    listValues({ headers, body })
      .slice(1)
      .map(({ place }) => Object.values(place)[0]);
  expect(pointersOf('a=1&b=2')).toEqual(['/a', '/b']);
  expect(pointersOf(`payload=${encodeURIComponent('{"c":{"d":1}}')}`)).toEqual(['/c', '/c/d']);
});

test('shows nothing of a body that is no JSON, and not too many values', () => {
  expect(listValues({ headers: '', body: '{' })).toEqual([]);
  expect(listValues({ headers: '', body: JSON.stringify(Array.from({ length: 1_000 }, (_, n) => n)) })).toHaveLength(
    300,
  );
});

test('a header that stands twice was sent twice', () => {
  expect(toHeaders('A: 1\na: 2')).toEqual({ a: ['1', '2'] });
});

test('a header without a value is there, and a line with anything else is none', () => {
  expect(toHeaders('X-Gitlab-Token\r\nb:\nPOST /hooks HTTP/1.1\n: c')).toEqual({ 'x-gitlab-token': [''], b: [''] });
});
