import { mintSigningSecret, sealSecret } from '@widget-service/shared/domain/sealed-secret.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { expect, test } from 'vitest';
import { makeVerifyHookSignature, type SignedHook } from './hook-signature.ts';

// The example that the specification's own libraries test with: what it must come to was not computed by us.
const known = {
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
    grantToken: { digest: sha256Hex(token), sealedSecret: sealSecret(known.secret, token) },
    headers: {
      'webhook-id': known.id,
      'webhook-timestamp': known.timestamp,
      'webhook-signature': known.signature,
      ...headers,
    },
    body: Buffer.from(known.body),
    now: new Date(Number(known.timestamp) * 1_000),
    ...overrides,
  };
}

test('takes a signature that was made elsewhere, again and again', () => {
  const hook = aHook();
  for (let n = 0; n < 3; n += 1) verify(hook);
});

test('takes any of several signatures, of which others are of other versions or secrets', () => {
  verify(aHook({ 'webhook-signature': `v1a,AAAA v1,AAAA ${known.signature}` }));
});

test.each([300, -300])('takes a time that is %i s off', (seconds) => {
  verify(aHook({}, { now: new Date((Number(known.timestamp) + seconds) * 1_000) }));
});

test.each<[string, Record<string, string | undefined>, Partial<SignedHook>?]>([
  ['no id', { 'webhook-id': undefined }],
  ['another id', { 'webhook-id': 'msg_other' }],
  ['no timestamp', { 'webhook-timestamp': undefined }],
  ['another timestamp', { 'webhook-timestamp': '1614265331' }],
  ['a timestamp that is no whole number', { 'webhook-timestamp': '1614265330.0' }],
  ['no signature', { 'webhook-signature': undefined }],
  ['another version', { 'webhook-signature': known.signature.replace('v1,', 'v2,') }],
  ['a signature without its version', { 'webhook-signature': known.signature.slice(3) }],
  ['a signature with a changed character', { 'webhook-signature': known.signature.replace('g0hM', 'g0hN') }],
  ['a signature that is cut', { 'webhook-signature': known.signature.slice(0, -4) }],
  ['more signatures than are looked at', { 'webhook-signature': `${'v1,AAAA '.repeat(10)}${known.signature}` }],
  ['a changed byte', {}, { body: Buffer.from(known.body.replace('2432232314', '2432232315')) }],
  ['an empty body', {}, { body: Buffer.alloc(0) }],
  ['a time that is 301 s late', {}, { now: new Date((Number(known.timestamp) + 301) * 1_000) }],
  ['a time that is 301 s early', {}, { now: new Date((Number(known.timestamp) - 301) * 1_000) }],
])('refuses %s, all with the same words', (_, headers, overrides) => {
  expect(() => verify(aHook(headers, overrides))).toThrow(
    expect.objectContaining({
      code: 'invalid-hook-signature',
      message: 'The signature of this hook is missing or not valid.',
    }),
  );
});

test('refuses a signature that was made with another secret', () => {
  const token = mintToken('wht');
  const grantToken = { digest: sha256Hex(token), sealedSecret: sealSecret(mintSigningSecret(), token) };
  expect(() => verify(aHook({}, { token, grantToken }))).toThrow(
    expect.objectContaining({ code: 'invalid-hook-signature' }),
  );
});

test('asks for no signature where the token has no secret', () => {
  const token = mintToken('wht');
  verify({ ...aHook(), token, grantToken: { digest: sha256Hex(token), sealedSecret: null }, headers: {} });
});
