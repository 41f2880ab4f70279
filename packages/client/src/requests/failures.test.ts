import { expect, test } from 'vitest';
import { describeAddress, isUnencryptedRemote } from './failures.ts';

test.each([
  ['http://widgets.example.com', true],
  ['http://10.0.0.1:8080/a', true],
  ['http://localhost.example.com', true],
  ['http://[::2]', true],
  ['http://1270.0.0.1.nip.io', true],
  ['https://widgets.example.com', false],
  ['http://localhost:8080', false],
  ['http://LOCALHOST', false],
  ['http://app.localhost', false],
  ['http://127.0.0.1', false],
  ['http://127.8.9.1:80', false],
  ['http://[::1]:8080', false],
])('whether %s can be read on the way: %s', (url, expected) => expect(isUnencryptedRemote(url)).toBe(expected));

test('an address is shown without its query and without the token of a hook or a stream', () => {
  const shown = (path: string) => describeAddress(`https://a.example${path}`);
  expect(shown('/p/api/v1/events/secret?lastEventId=1')).toBe('https://a.example/p/api/v1/events/…');
  expect(shown('/api/v1/events/hooks/secret')).toBe('https://a.example/api/v1/events/hooks/…');
  expect(shown('/api/v1/widgets?page=2#b')).toBe('https://a.example/api/v1/widgets');
});
