import { afterEach, expect, test, vi } from 'vitest';
import { browserStorage } from './storage.ts';

afterEach(() => vi.unstubAllGlobals());

const refuse = () => {
  throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
};

test.each([
  ['blocked', { get: refuse }],
  ['null', { value: null }],
  ['missing', { value: undefined }],
  ['full', { value: { getItem: () => null, setItem: refuse } }],
])('a storage that is %s keeps nothing, and no use of it throws', (_, property) => {
  vi.stubGlobal('localStorage', null);
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, ...property });
  browserStorage.write('theme', 'dark');
  expect(browserStorage.read('theme')).toBeNull();
});
