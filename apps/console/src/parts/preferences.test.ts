import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { browserStorage, readLocale, readTimeZone } from './preferences.ts';

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

test.each([
  ['en-US', 'en-US'],
  ['en_US', 'en-US'],
  ['en-US@posix', 'en-US'],
  ['de_DE.UTF-8', 'de-DE'],
  ['C', 'en'],
  ['', 'en'],
  [undefined, 'en'],
  ['ar-EG', 'ar-EG'],
])('the locale %j is %s', (named, locale) => expect(readLocale(named)).toBe(locale));

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Etc/Unknown', null],
  ['Foo/Bar', null],
  ['', null],
  [undefined, null],
])('the time zone %j is %s', (named, zone) => expect(readTimeZone(named)).toBe(zone));

test('whatever a browser names, dates and numbers can be written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (named) => {
      new Intl.DateTimeFormat(readLocale(named), { timeZone: readTimeZone(named) ?? 'UTC' }).format(0);
    }),
  );
});
