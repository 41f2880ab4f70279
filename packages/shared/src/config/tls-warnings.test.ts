import { expect, test } from 'vitest';
import { parseSettings } from './parse-settings.ts';
import { listTlsWarnings } from './tls-warnings.ts';

const warningsOf = (environment: Record<string, string>) => {
  const stores = { MONGODB_URL: 'mongodb://db/?tls=true', REDIS_URL: 'rediss://queue/' };
  return listTlsWarnings(parseSettings({ ...stores, ...environment }, { app: 'api' }).settings);
};
const sentinels = { REDIS_SENTINELS: 'a:26379', REDIS_SENTINEL_NAME: 'queue' };

test('says which settings undo the TLS that a URL asks for', () => {
  expect(warningsOf({})).toEqual([]);
  expect(warningsOf(sentinels)).toEqual([expect.stringMatching(/^REDIS_SENTINEL_TLS is false/)]);
  expect(warningsOf({ ...sentinels, REDIS_SENTINEL_TLS: 'true' })).toEqual([]);
  for (const option of ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames']) {
    const url = `mongodb://user:secret@db/?tls=true&${option}=true`;
    expect(warningsOf({ MONGODB_URL: url })).toEqual([expect.stringMatching(`^MONGODB_URL has ${option}: `)]);
    expect(warningsOf({ MONGODB_URL: url }).join()).not.toContain('secret');
  }
});
