import { expect, test } from 'vitest';
import { hasShape, type Shape } from './send.ts';

const widget: Shape = { id: 'string', labels: ['string'], owner: { '?': { userId: 'string' } }, version: 'number' };
const aWidget = { id: 'a', labels: ['b'], owner: null, version: 1 };

test('accepts what the service answers, with members that it does not know', () => {
  expect(hasShape({ ...aWidget, later: true }, widget)).toBe(true);
  expect(hasShape({ ...aWidget, owner: { userId: 'c' } }, widget)).toBe(true);
});

test('accepts what an older version answers, which lacks a few members', () => {
  const { version: _, ...older } = aWidget;
  expect(hasShape(older, widget)).toBe(true);
});

test.each<[string, unknown]>([
  ['most members missing', { id: 'a' }],
  ['a member of another type', { ...aWidget, version: '1' }],
  ['a list with something else', { ...aWidget, labels: [1] }],
  ['null where none may be', { ...aWidget, labels: null }],
  ['a wrong member of a member', { ...aWidget, owner: { userId: 5 } }],
  ['a list', [aWidget]],
  ['a text', 'a'],
  ['null', null],
  ['nothing', undefined],
])('rejects %s', (_, value) => {
  expect(hasShape(value, widget)).toBe(false);
});
