import { expect, test } from 'vitest';
import { matchRoute } from './match-route.ts';

test('reads the parameters of a path', () => {
  expect(matchRoute('/widgets/:id', '/widgets/a%20b')).toEqual({ id: 'a b' });
  expect(matchRoute('/', '/')).toEqual({});
  expect(matchRoute('/widgets', '/widgets/')).toEqual({});
});

test('is null for another path, and for one that is longer or shorter', () => {
  expect(matchRoute('/widgets', '/streams')).toBeNull();
  expect(matchRoute('/widgets/:id', '/widgets')).toBeNull();
  expect(matchRoute('/widgets', '/widgets/7')).toBeNull();
});

test('keeps a part that is no valid encoding', () => {
  expect(matchRoute('/widgets/:id', '/widgets/%zz')).toEqual({ id: '%zz' });
});
