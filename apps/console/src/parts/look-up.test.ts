import { expect, it } from 'vitest';
import { lookUp } from './look-up.ts';

const names: Readonly<Record<string, string>> = { updated: 'Updated' };

it('finds a text by its key', () => {
  expect(lookUp(names, 'updated')).toBe('Updated');
});

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', ''])(
  'finds nothing for %j, which every object inherits or nobody has written',
  (key) => {
    expect(lookUp(names, key)).toBeUndefined();
  },
);
