import { expect, test } from 'vitest';
import { describeAddress, isUnencryptedRemote } from './failures.ts';

test.each([
  'http://widgets.example.com',
  'http://10.0.0.1:8080/a',
  'http://localhost.example.com',
  'http://[::2]',
  'http://1270.0.0.1.nip.io',
])('%s can be read on the way', (url) => {
  expect(isUnencryptedRemote(url)).toBe(true);
});

test.each([
  'https://widgets.example.com',
  'http://localhost:8080',
  'http://LOCALHOST',
  'http://app.localhost',
  'http://127.0.0.1',
  'http://127.8.9.1:80',
  'http://[::1]:8080',
])('%s cannot', (url) => {
  expect(isUnencryptedRemote(url)).toBe(false);
});

test('an address is shown without its query and without the token of a hook or a stream', () => {
  expect(describeAddress('https://a.example/p/api/v1/events/secret?lastEventId=1')).toBe(
    'https://a.example/p/api/v1/events/…',
  );
  expect(describeAddress('https://a.example/api/v1/events/hooks/secret')).toBe(
    'https://a.example/api/v1/events/hooks/…',
  );
  expect(describeAddress('https://a.example/api/v1/widgets?page=2#b')).toBe('https://a.example/api/v1/widgets');
});
