import { createHmac } from 'node:crypto';
import { mintSigningSecret, sealSecret } from '@widget-service/shared/domain/sealed-secret.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { expect, test } from 'vitest';
import { makeVerifyHookSignature, type SignedHook } from './hook-signature.ts';

// The test vector of the standardwebhooks libraries: our code did not compute this signature.
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const verify = makeVerifyHookSignature();

function aHook(headers: Record<string, string | undefined> = {}, overrides: Partial<SignedHook> = {}): SignedHook {
  const token = mintToken('wht');
  return {
    token,
    grantToken: { digest: sha256Hex(token), sealedSecret: sealSecret(vector.secret, token) },
    headers: {
      'webhook-id': vector.id,
      'webhook-timestamp': vector.timestamp,
      'webhook-signature': vector.signature,
      ...headers,
    },
    body: Buffer.from(vector.body),
    now: new Date(Number(vector.timestamp) * 1_000),
    ...overrides,
  };
}

test('accepts the signature of the test vector, also when the signing key is cached', () => {
  const hook = aHook();
  for (let n = 0; n < 3; n += 1) verify(hook);
});

/** A header value as Node reads these bytes. */
const asRead = (bytes: Buffer) => bytes.toString('latin1');

test.each([
  ['in UTF-8, signed as sent', Buffer.from('Grüße-日本'), Buffer.from('Grüße-日本')],
  ['in Latin-1, signed as sent', Buffer.from('Grüße', 'latin1'), Buffer.from('Grüße', 'latin1')],
  ['in Latin-1 as fetch sends it, signed in UTF-8', Buffer.from('Grüße', 'latin1'), Buffer.from('Grüße')],
  ['of bytes that are no text', Buffer.from([0xff, 0x80, 0x41]), Buffer.from([0xff, 0x80, 0x41])],
])('accepts an id %s', (_name, sent, signed) => {
  const key = Buffer.from(vector.secret.slice('whsec_'.length), 'base64');
  const hmac = createHmac('sha256', key).update(signed).update(`.${vector.timestamp}.${vector.body}`);
  verify(aHook({ 'webhook-id': asRead(sent), 'webhook-signature': `v1,${hmac.digest('base64')}` }));
});

test('accepts a hook if one of several signatures is valid', () => {
  verify(aHook({ 'webhook-signature': `v1a,AAAA v1,AAAA ${vector.signature}` }));
});

test.each([300, -300])('accepts a timestamp that differs by %i s', (seconds) => {
  verify(aHook({}, { now: new Date((Number(vector.timestamp) + seconds) * 1_000) }));
});

test.each<[string, Record<string, string | undefined>, Partial<SignedHook>?]>([
  ['no id', { 'webhook-id': undefined }],
  ['another id', { 'webhook-id': 'msg_other' }],
  ['no timestamp', { 'webhook-timestamp': undefined }],
  ['another timestamp', { 'webhook-timestamp': '1614265331' }],
  ['a timestamp that is not a whole number', { 'webhook-timestamp': '1614265330.0' }],
  ['no signature', { 'webhook-signature': undefined }],
  ['another version', { 'webhook-signature': vector.signature.replace('v1,', 'v2,') }],
  ['a signature without its version', { 'webhook-signature': vector.signature.slice(3) }],
  ['a signature with a changed character', { 'webhook-signature': vector.signature.replace('g0hM', 'g0hN') }],
  ['a truncated signature', { 'webhook-signature': vector.signature.slice(0, -4) }],
  ['a valid signature after ten others', { 'webhook-signature': `${'v1,AAAA '.repeat(10)}${vector.signature}` }],
  ['a changed byte', {}, { body: Buffer.from(vector.body.replace('2432232314', '2432232315')) }],
  ['an empty body', {}, { body: Buffer.alloc(0) }],
  ['a timestamp 301 s in the past', {}, { now: new Date((Number(vector.timestamp) + 301) * 1_000) }],
  ['a timestamp 301 s in the future', {}, { now: new Date((Number(vector.timestamp) - 301) * 1_000) }],
])('rejects %s with the same error', (_, headers, overrides) => {
  expect(() => verify(aHook(headers, overrides))).toThrow(
    expect.objectContaining({
      code: 'invalid-hook-signature',
      message: 'The signature of this hook is missing or not valid.',
    }),
  );
});

test('rejects a signature made with another secret', () => {
  const token = mintToken('wht');
  const grantToken = { digest: sha256Hex(token), sealedSecret: sealSecret(mintSigningSecret(), token) };
  expect(() => verify(aHook({}, { token, grantToken }))).toThrow(
    expect.objectContaining({ code: 'invalid-hook-signature' }),
  );
});

test('requires no signature if the token has no signing secret', () => {
  const token = mintToken('wht');
  verify({ ...aHook(), token, grantToken: { digest: sha256Hex(token), sealedSecret: null }, headers: {} });
});
