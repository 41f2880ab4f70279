import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { github, makeSourceClient, secret, unsigned } from '../../drivers/app/source-client.ts';

/** No permit returns while a test runs. A body of 60 000 bytes costs 15 permits: two of them fit. */
const hooks = { ratePerSecond: 0.001, burst: 32 };
const service = await openSharedApp({ limits: { hooks } });
const client = makeSourceClient(service, (await service.signedIn('admin')).headers);
const large = 'x'.repeat(59_900);
const stranger = '198.51.100.7';

async function create(source: object | null, members: object = {}) {
  const response = await client.create(source, members);
  expect(response.statusCode).toBe(201);
  const { token, signingSecret } = response.json() as Record<'token' | 'signingSecret', string>;
  return { url: `/api/v1/events/hooks/${token}`, signingSecret };
}

interface Sent {
  readonly url: string;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isChunked?: boolean;
  readonly remoteAddress?: string;
}

async function send({ url, body, type = 'application/json', headers, isChunked = false, remoteAddress }: Sent) {
  const response = await service.inject({
    method: 'POST',
    url,
    headers: { 'content-type': type, ...headers, ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}) },
    payload: isChunked ? Readable.from([Buffer.from(body)]) : body,
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
  });
  return response.statusCode;
}

const sendMany = async (count: number, sent: Sent) => {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push(await send(sent));
  return statuses;
};

const signGitHub = (body: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  'x-github-delivery': 'd',
});
const occurredAt = '2026-03-01T10:00:00Z';
const formType = 'application/x-www-form-urlencoded';
const plain = JSON.stringify({ kind: 'updated', occurredAt, payload: { large } });
const ignoring = unsigned({ only: [{ header: 'x-a', in: ['b'] }] });
const unmappable = unsigned({}, { from: '/nothing' });

describe.each([
  { how: 'with a length', isChunked: false },
  { how: 'in chunks', isChunked: true },
])('a large hook $how costs its size', ({ isChunked }) => {
  test.each<[string, object | null, string, number, string?]>([
    ['as documented', null, plain, 202],
    ['of another sender', unsigned(), plain, 202],
    ['of a sender that signs', github, plain, 202],
    ['as a form', unsigned(), `a=${large}`, 202, formType],
    ['that is ignored', ignoring, plain, 202],
    ['that is not valid', null, JSON.stringify({ large }), 400],
    ['that is no JSON', null, large, 400],
    ['that cannot be mapped', unmappable, plain, 400],
  ])('%s', async (_, source, body, status, type) => {
    const { url } = await create(source);
    const statuses = await sendMany(8, { url, body, isChunked, headers: signGitHub(body), ...(type && { type }) });
    const untilLimit = statuses.indexOf(429);
    expect(statuses.slice(0, untilLimit).every((each) => each === status)).toBe(true);
    // A refusal in chunks is counted after its answer.
    expect([2, 3]).toContain(untilLimit);
    expect(statuses.slice(untilLimit).every((each) => each === 429)).toBe(true);
  });
});

test('a body that is cut for its size costs what was read of it', async () => {
  const { url } = await create(null);
  const statuses = await sendMany(8, { url, body: 'x'.repeat(100_000), isChunked: true });
  expect(statuses.slice(0, 2)).toEqual([400, 400]);
  expect(statuses.slice(3)).toEqual([429, 429, 429, 429, 429]);
});

describe.each(['standard-webhooks', 'a source'])('an integration that demands signatures (%s)', async (kind) => {
  const open = async () => {
    const { url, signingSecret } = await create(
      kind === 'a source' ? github : null,
      kind === 'a source' ? {} : { signature: 'standard-webhooks' },
    );
    const sendSigned = (body: string, more: Partial<Sent> = {}) => {
      if (kind === 'a source') return send({ url, body, headers: signGitHub(body), ...more });
      const key = Buffer.from(signingSecret.slice('whsec_'.length), 'base64');
      const at = `${Math.floor(Date.now() / 1_000)}`;
      const signature = createHmac('sha256', key).update(`m.${at}.${body}`).digest('base64');
      const headers = { 'webhook-id': 'm', 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
      return send({ url, body, headers, ...more });
    };
    return { url, sendSigned };
  };

  test('accepts hooks of its sender while a stranger posts hooks without a valid signature', async () => {
    const { url, sendSigned } = await open();
    for (const body of [plain, '', large]) {
      const statuses = await sendMany(20, { url, body, remoteAddress: stranger });
      expect([400, 429]).toContain(statuses[0]);
      expect(statuses.at(-1)).toBe(429);
    }
    const others = await Promise.all(
      Array.from({ length: 50 }, () => send({ url, body: plain, remoteAddress: '198.51.100.8' })),
    );
    expect(new Set(others)).toEqual(new Set([400]));
    expect([await sendSigned(plain), await sendSigned(plain), await sendSigned(plain)]).toEqual([202, 202, 429]);
  });
});
