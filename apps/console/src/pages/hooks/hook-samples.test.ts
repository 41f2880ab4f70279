import { expect, test } from 'vitest';
import { writeHookSamples } from './hook-samples.ts';

const languages = ['Python', 'Node', 'widgetctl'];

test('the samples of a hook exist for each language', () => {
  expect(Object.keys(writeHookSamples(true))).toEqual(['curl + openssl', ...languages]);
  expect(Object.keys(writeHookSamples(false))).toEqual(['curl', ...languages]);
});

test.each(Object.entries(writeHookSamples(false)))('%s: has no signature if none is required', (_, code) => {
  expect(code).toContain('HOOK_URL');
  expect(code).not.toMatch(/HOOK_SECRET|signature|timestamp|hmac|sha256|base64/i);
});
