import { expect, test } from 'vitest';
import { createPageStorage } from './storage.ts';

const refuse = () => {
  throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
};

test.each([
  ['blocked', refuse],
  ['null', () => null as unknown as Storage],
  ['missing', () => (globalThis as { noStorage?: Storage }).noStorage as Storage],
  ['full', () => ({ length: 0, getItem: () => null, key: () => null, setItem: refuse, removeItem: refuse }) as never],
])('a storage that is %s keeps nothing, and no use of it throws', (_, open) => {
  const storage = createPageStorage(open);
  storage.write('theme', 'dark');
  storage.remove('theme');
  expect([storage.read('theme'), storage.keys()]).toEqual([null, []]);
});
