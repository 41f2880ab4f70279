import { expect, test } from 'vitest';
import { describeDevice } from './device.ts';

const mozilla = 'Mozilla/5.0';
const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`${mozilla} (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0`, 'Firefox 145 on Windows'],
  [`${mozilla} (X11; Linux x86_64) ${webkit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome 142 on Linux'],
  [`${mozilla} (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome 142 on Linux'],
  [
    `${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    'Edge 142 on Windows',
  ],
  [`${mozilla} (Linux; Android 10; K) ${webkit} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome 142 on Android'],
  [
    `${mozilla} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1`,
    'Safari 26 on iPhone',
  ],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`,
    'Safari 26 on macOS',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['python-httpx/0.28.1 (something)', 'python-httpx/0.28.1'],
  [' node ', 'node'],
])('shortens %j', (userAgent, expected) => {
  expect(describeDevice(userAgent)).toBe(expected);
});

test('returns null without a user agent, and for one without printable characters', () => {
  for (const userAgent of [undefined, '', '  ', '\u0000\u0007', 'é']) expect(describeDevice(userAgent)).toBeNull();
});

test('returns at most 80 characters, and reads only the start of a long header', () => {
  const beforeName = `${mozilla} (${'x'.repeat(250)}`;
  expect(describeDevice(`${beforeName}) Firefox/145.0`)).toBe(mozilla);
  for (const start of ['', 'Firefox/', 'Version/', `${mozilla} (iPhone) Version/1 Safari/ Mobile/`]) {
    expect(describeDevice(`${start}${'1'.repeat(16_000)}`)?.length).toBeLessThanOrEqual(80);
  }
  expect(describeDevice('<script>\u2028alert(1)</script>')).toBe('<script>alert(1)</script>');
});
