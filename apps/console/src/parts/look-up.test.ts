import { expect, test } from 'vitest';
import { lookUp } from './look-up.ts';

const names: Readonly<Record<string, string>> = { updated: 'Updated' };

test('finds a text by its key', () => {
  expect(lookUp(names, 'updated')).toBe('Updated');
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', ''])(
  'finds nothing for %j, which every object inherits or nobody has written',
  (key) => {
    expect(lookUp(names, key)).toBeUndefined();
  },
);
