import { createHash, createHmac, createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { sealSecrets } from '@widget-service/shared/domain/sealed-secrets.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { type SignatureScheme, schemeDefaults } from '@widget-service/shared/entities/hook-source.ts';
import { describe, expect, test } from 'vitest';
import { presets } from './sender-presets.ts';
import type { SentRequest } from './sent-request.ts';
import { type SourceKey, toSourceKey, unsealKeys } from './source-key.ts';
import { nativeScheme, verifySignature } from './verify-signature.ts';

interface Given {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly url?: string;
}

const toSent = ({ headers, body, url = 'https://hooks.example/' }: Given): SentRequest => ({
  rawHeaders: Object.entries(headers).flat(),
  body: Buffer.from(body),
  urls: [url],
});

function toKeys(scheme: SignatureScheme, secrets: readonly string[]): SourceKey[] {
  return secrets.map((secret) => {
    const key = toSourceKey(secret, scheme);
    if (key === null) throw new Error(`not a secret of the scheme: ${secret}`);
    return key;
  });
}

const verify = (scheme: SignatureScheme, secrets: readonly string[], sent: Given, now = new Date()) =>
  verifySignature(scheme, toKeys(scheme, secrets), toSent(sent), now);

function schemeOf(preset: keyof typeof presets): SignatureScheme {
  const { scheme } = presets[preset];
  if (scheme === null) throw new Error('no scheme');
  return scheme;
}

interface Vector {
  readonly preset: keyof typeof presets;
  readonly from: string;
  readonly secret: string;
  readonly atSeconds?: number;
  readonly given: Given;
}

// The values of the vectors are those that the senders publish.
const vectors: readonly Vector[] = [
  {
    preset: 'github',
    from: 'GitHub Docs, Validating webhook deliveries, "Testing the webhook payload validation"',
    secret: "It's a Secret to Everybody",
    given: {
      headers: {
        'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
      body: 'Hello, World!',
    },
  },
  {
    preset: 'slack',
    from: 'Slack API, Verifying requests from Slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    atSeconds: 1_531_420_618,
    given: {
      headers: {
        'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
        'X-Slack-Request-Timestamp': '1531420618',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    },
  },
  {
    preset: 'twilio',
    from: 'Twilio Docs, Webhooks security',
    secret: '12345',
    given: {
      headers: {
        'X-Twilio-Signature': '0/KCTR6DLpKmkAf8muzZqo1nDgQ=',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
      body: 'CallSid=CA1234567890ABCDE&Caller=%2B12349013030&Digits=1234&From=%2B12349013030&To=%2B18005551212',
    },
  },
  {
    preset: 'standard-webhooks',
    from: 'standardwebhooks 1.1.1, its own tests',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    atSeconds: 1_614_265_330,
    given: {
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: '{"test": 2432232314}',
    },
  },
  {
    preset: 'gitlab',
    from: 'GitLab Docs, Webhooks: the header holds the secret token',
    secret: 'a secret token',
    given: { headers: { 'X-Gitlab-Token': 'a secret token' }, body: '{}' },
  },
  {
    preset: 'cloudevents',
    from: 'HTTP 1.1 Web Hooks for Event Delivery, section 3.1, and RFC 6750',
    secret: 'mF_9.B5f-4.1JqM',
    given: { headers: { Authorization: 'Bearer mF_9.B5f-4.1JqM' }, body: '{}' },
  },
];

describe.each(vectors)('$preset: $from', ({ preset, secret, atSeconds = 0, given }) => {
  const scheme = schemeOf(preset);
  const now = new Date(atSeconds * 1_000);
  const check = (changed: Partial<Given>, secrets: readonly string[] = [secret], at: Date = now) =>
    verify(scheme, secrets, { ...given, ...changed }, at);
  const other = secret.startsWith('whsec_') ? 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' : `${secret.slice(0, -1)}x`;

  test('is valid with its secret, also as the second one', () => {
    expect(check({})).toEqual({ isValid: true, secret: 1 });
    expect(check({}, [other, secret])).toEqual({ isValid: true, secret: 2 });
  });
});

test.each(vectors.filter(({ preset }) => schemeOf(preset).timestamp !== null))(
  '$preset: is valid for five minutes, in both directions',
  ({ preset, secret, atSeconds = 0, given }) => {
    const scheme = schemeOf(preset);
    const isValidAfter = (seconds: number) =>
      verify(scheme, [secret], given, new Date((atSeconds + seconds) * 1_000)).isValid;
    expect([-301, -300, 300, 301].map(isValidAfter)).toEqual([false, true, true, false]);
  },
);

describe('Standard Webhooks', () => {
  const { given, secret, atSeconds = 0 } = vectors.find(({ preset }) => preset === 'standard-webhooks') as Vector;
  const scheme = schemeOf('standard-webhooks');
  const { 'webhook-id': id = '', 'webhook-signature': signature = '' } = given.headers;
  const check = (headers: Readonly<Record<string, string>>, by: SignatureScheme = scheme) =>
    verifySignature(
      by,
      toKeys(scheme, [secret]),
      toSent({ ...given, headers: { ...given.headers, ...headers } }),
      new Date(atSeconds * 1_000),
    ).isValid;
  const key = createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'));
  const sign = (id: string, time: string) =>
    `v1,${createHmac('sha256', key).update(id).update(`.${time}.${given.body}`).digest('base64')}`;
  test.each<[string, Record<string, string>]>([
    ['a signature without its padding', { 'webhook-signature': signature.slice(0, -1) }],
    ['the alphabet of URLs', { 'webhook-signature': signature.replace('+', '-').replace('/', '_') }],
    ['a fraction', { 'webhook-timestamp': `${atSeconds}.0`, 'webhook-signature': sign(id, `${atSeconds}.0`) }],
  ])('only the sender of a source may use %s', (_, headers) => {
    expect([check(headers), check(headers, nativeScheme)]).toEqual([true, false]);
  });

  test('only the token of an address unseals its keys', () => {
    const token = mintToken('wht');
    const stored = () => ({ digest: sha256Hex(token), sealedSecret: sealSecrets([secret], token) });
    expect(unsealKeys(stored(), token, scheme)).toSatisfy(([found]) => found.equals(key));
    expect(() => unsealKeys(stored(), mintToken('wht'), scheme)).toThrow('damaged');
  });
});

describe('several signatures', () => {
  const scheme = schemeOf('stripe');
  const now = new Date('2026-11-27T12:00:00Z');
  const time = `${now.getTime() / 1_000}`;
  const body = '{"id":"evt_1"}';
  const signWith = (secret: string, at = time) => createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const check = (header: string, secrets = ['whsec_one']) =>
    verify(scheme, secrets, { headers: { 'Stripe-Signature': header }, body }, now);

  test('one valid one suffices, wherever it is among the first ten', () => {
    const wrong = 'v1=00';
    const valid = `v1=${signWith('whsec_one')}`;
    expect(check(`t=${time},${valid},${wrong},v0=ignored`)).toEqual({ isValid: true, secret: 1 });
    expect(check(`t=${time},${wrong},${valid}`)).toEqual({ isValid: true, secret: 1 });
    expect(check(`${[`t=${time}`, ...Array.from({ length: 10 }, () => wrong), valid].join(',')}`)).toMatchObject({
      isValid: false,
    });
  });

  test('the time must be there once, and be the signed one', () => {
    const valid = `v1=${signWith('whsec_one')}`;
    expect(check(valid)).toMatchObject({ isValid: false });
    expect(check(`t=${time},t=${time},${valid}`)).toMatchObject({ isValid: false });
    expect(check(`t=${Number(time) + 1},${valid}`)).toMatchObject({ isValid: false });
    expect(check(`t=${time}x,${valid}`)).toMatchObject({ isValid: false });
  });

  test('a signature of another version does not count', () => {
    expect(check(`t=${time},v0=${signWith('whsec_one')}`)).toMatchObject({ isValid: false });
  });
});

test('Twilio: a name that it does not use is refused, also with a signature that fits', () => {
  const scheme = schemeOf('twilio');
  const url = 'https://hooks.example/';
  const check = (body: string, signed: string) => {
    const signature = createHmac('sha1', 'a token for Twilio')
      .update(url + signed)
      .digest('base64');
    const headers = { 'X-Twilio-Signature': signature, 'Content-Type': 'application/x-www-form-urlencoded' };
    return verify(scheme, ['a token for Twilio'], { headers, body, url });
  };
  expect(check('Body=x&SmsSid=SM1', 'BodyxSmsSidSM1')).toMatchObject({ isValid: true });
  expect(check('Bo=dyx&Sms+Sid=SM1', 'BodyxSms SidSM1')).toMatchObject({ isValid: false });
  expect(check('Body=x&smsSid=SM1', 'BodyxsmsSidSM1')).toMatchObject({ isValid: false });
});

describe('Twilio with JSON', () => {
  const scheme = schemeOf('twilio');
  const body = '{"CallSid":"CA1"}';
  const toUrl = (sha256: string) => `https://hooks.example/h?bodySHA256=${sha256}`;
  const signUrl = (url: string) => createHmac('sha1', '12345').update(url).digest('base64');
  const check = (url: string, sentBody = body) => {
    const headers = { 'X-Twilio-Signature': signUrl(url), 'Content-Type': 'application/json' };
    return verify(scheme, ['12345'], { headers, body: sentBody, url });
  };

  test('the signed address names the SHA-256 of the body', () => {
    const actual = createHash('sha256').update(body).digest('hex');
    expect(check(toUrl(actual))).toMatchObject({ isValid: true });
    expect(check(toUrl(actual), '{"CallSid":"CA2"}')).toMatchObject({ isValid: false });
    expect(check(toUrl('0'.repeat(64)))).toMatchObject({ isValid: false });
    expect(check('https://hooks.example/h')).toMatchObject({ isValid: false });
  });

  test('a signed address with a hash is not one of a form', () => {
    const url = toUrl(createHash('sha256').update(body).digest('hex'));
    const headers = { 'X-Twilio-Signature': signUrl(url), 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const replayed of ['', '&']) {
      const sent = toSent({ headers, body: replayed, url });
      expect(verifySignature(scheme, toKeys(scheme, ['12345']), sent, new Date())).toMatchObject({ isValid: false });
    }
  });
});

describe('a scheme of its own', () => {
  test('Ed25519 over time and body, with the public key in hexadecimal or PEM', () => {
    const scheme: SignatureScheme = {
      ...schemeDefaults,
      algorithm: 'ed25519',
      header: 'x-signature-ed25519',
      signed: '{timestamp}{body}',
      timestamp: { header: 'x-signature-timestamp', unit: 'seconds' },
      secretEncoding: 'hex',
    };
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const now = new Date(1_700_000_000_000);
    const toHeaders = (signature: string) => ({
      'X-Signature-Ed25519': signature,
      'X-Signature-Timestamp': '1700000000',
    });
    const signature = sign(null, Buffer.from('1700000000{"type":1}'), privateKey).toString('hex');
    for (const secret of [raw, pem]) {
      const check = (body: string, sent = signature) =>
        verify(scheme, [secret], { headers: toHeaders(sent), body }, now);
      expect(check('{"type":1}')).toEqual({ isValid: true, secret: 1 });
      expect(check('{"type":2}')).toMatchObject({ isValid: false });
      expect(check('{"type":1}', signature.slice(2))).toMatchObject({ isValid: false });
      expect(check('{"type":1}', 'zz')).toMatchObject({ isValid: false });
    }
    expect(toSourceKey(raw.slice(2), scheme)).toBeNull();
  });

  test.each([',', ';', '|', ' ', '&'])('several entries, separated by “%s”', (separator) => {
    const scheme: SignatureScheme = {
      ...schemeDefaults,
      header: 'x-signature',
      separator,
      prefix: 'h1=',
      signed: '{timestamp}:{body}',
      timestamp: { entry: 'ts=', unit: 'seconds' },
    };
    const signature = createHmac('sha256', 'a secret').update('1700000000:{}').digest('hex');
    const value = ['ts=1700000000', 'h1=00', `h1=${signature.toUpperCase()}`].join(separator);
    const sent = toSent({ headers: { 'X-Signature': value }, body: '{}' });
    const verified = verifySignature(scheme, toKeys(scheme, ['a secret']), sent, new Date(1_700_000_000_000));
    expect(verified).toEqual({ isValid: true, secret: 1 });
  });

  test.each(['hmac-sha256', 'ed25519'] as const)('signatures in each variant of Base64: %s', (algorithm) => {
    const scheme: SignatureScheme = { ...schemeDefaults, algorithm, header: 'x-signature', encoding: 'base64' };
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const secret = algorithm === 'ed25519' ? publicKey.export({ format: 'pem', type: 'spki' }).toString() : 'a secret';
    const signBody = (body: string) =>
      algorithm === 'ed25519'
        ? sign(null, Buffer.from(body), privateKey)
        : createHmac('sha256', secret).update(body).digest();
    const check = (signature: string, body: string) =>
      verify(scheme, [secret], { headers: { 'X-Signature': signature }, body }).isValid;
    // A few bodies, so that the two characters by which the alphabets differ are among the signatures.
    const bytes = Array.from({ length: 20 }, (_, at) => signBody(`${at}`));
    expect(bytes.map((each) => each.toString('base64url')).join('')).toMatch(/[-_]/);
    for (const [at, signature] of bytes.entries()) {
      const variants = [signature.toString('base64'), signature.toString('base64url')];
      const unpadded = variants.map((text) => text.replace(/=+$/, ''));
      for (const text of [...variants, ...unpadded]) expect(check(text, `${at}`)).toBe(true);
      for (const text of [`${variants[0]}=A`, unpadded[0]?.slice(1) ?? '', ''])
        expect(check(text, `${at}`)).toBe(false);
    }
  });

  test('HTTP Basic', () => {
    const scheme: SignatureScheme = { ...schemeDefaults, algorithm: 'basic', header: 'authorization' };
    const check = (authorization: string) =>
      verify(scheme, ['Aladdin:open sesame'], { headers: { authorization }, body: '' });
    // RFC 7617, section 2.
    expect(check('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==')).toEqual({ isValid: true, secret: 1 });
    expect(check('basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==')).toEqual({ isValid: true, secret: 1 });
    expect(check('Basic QWxhZGRpbjpvcGVuIHNlc2FtZE==')).toMatchObject({ isValid: false });
    expect(check('Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==')).toMatchObject({ isValid: false });
  });

  test.each([
    ['hex', 'zz', false],
    ['hex', 'AbCd', true],
    ['base64', 'aGVsbG8=', true],
    ['base64', 'aGVsbG8', true],
    ['base64', 'aGVs bG8=', false],
    ['whsec', 'whsec_aGVsbG8=', true],
    ['whsec', 'aGVsbG8=', false],
    ['text', '', false],
  ] as const)('a secret in %s: %s', (secretEncoding, secret, isSecret) => {
    expect(toSourceKey(secret, { ...schemeDefaults, secretEncoding }) !== null).toBe(isSecret);
  });
});

test.each(['x-signature', 'other'])(
  'reads nothing of the body before the header has a well-formed signature',
  (name) => {
    const scheme = { ...schemeDefaults, algorithm: 'hmac-sha256', header: 'x-signature' } as const;
    const sent: SentRequest = {
      rawHeaders: [name, 'ab'.repeat(31)],
      get body(): never {
        throw new Error('the body was read');
      },
      urls: [],
    };
    expect(verifySignature(scheme, toKeys(scheme, ['a secret of the sender']), sent, new Date())).toMatchObject({
      isValid: false,
    });
  },
);
