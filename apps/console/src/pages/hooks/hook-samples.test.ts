import { describe, expect, test } from 'vitest';
import { writeEnvironmentFile, writeHookSamples } from './hook-samples.ts';

const languages = ['Python', 'Node', 'widgetctl'];

describe('the samples of a hook', () => {
  test('exist for each language', () => {
    expect(Object.keys(writeHookSamples(true))).toEqual(['curl + openssl', ...languages]);
    expect(Object.keys(writeHookSamples(false))).toEqual(['curl', ...languages]);
  });

  test.each(Object.entries(writeHookSamples(true)))('%s: reads the URL and the signing secret', (name, code) => {
    expect(code).toContain('HOOK_URL');
    expect(code).toContain('HOOK_SECRET');
    // widgetctl signs by itself.
    if (name !== 'widgetctl')
      for (const part of ['id', 'timestamp', 'signature']) expect(code).toContain(`webhook-${part}`);
  });

  test.each(Object.entries(writeHookSamples(false)))('%s: has no signature if none is required', (_, code) => {
    expect(code).toContain('HOOK_URL');
    expect(code).not.toMatch(/HOOK_SECRET|signature|timestamp|hmac|sha256|base64/i);
  });
});

test('the environment file has the signing secret only if hooks are signed', () => {
  expect(writeEnvironmentFile({ url: 'https://example.com/x' })).toBe('HOOK_URL=https://example.com/x\n');
  expect(writeEnvironmentFile({ url: 'https://example.com/x', signingSecret: 'whsec_a+/=' })).toBe(
    'HOOK_URL=https://example.com/x\nHOOK_SECRET=whsec_a+/=\n',
  );
});
