import { expect, test } from 'vitest';
import { findTlsWarning } from './check-combinations.ts';
import { parseSettings } from './parse-settings.ts';

test('an event log that is smaller than one event is refused with 78 and the names of both settings', () => {
  const given = { EVENT_RETENTION_BYTES: '1048576', BODY_LIMIT_BYTES: '1048576' };
  const line = expect.stringMatching(/^EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES: /);
  const parse = () => parseSettings(given, { app: 'api' });
  expect(parse).toThrow(expect.objectContaining({ exitCode: 78, lines: [line] }));
});

test('says which option of MongoDB undoes its TLS, and never the password', () => {
  const warningOf = (options: string) => {
    const stores = { MONGODB_URL: `mongodb://user:secret@db/?tls=true${options}`, REDIS_URL: 'rediss://queue/' };
    return findTlsWarning(parseSettings(stores, { app: 'api' }).settings);
  };
  expect(warningOf('')).toBeNull();
  for (const option of ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames']) {
    expect(warningOf(`&${option}=true`)).toMatch(new RegExp(`^MONGODB_URL has ${option}: (?!.*secret)`));
  }
});
