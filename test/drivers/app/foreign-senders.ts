import { createHmac, randomUUID } from 'node:crypto';
import type { SourcePreset } from '@widget-service/shared/entities/hook-source.ts';

/** A request as a foreign sender sends it. */
export interface ForeignRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A sender that signs as its documentation says. It does not use the code of the service. */
export interface ForeignSender {
  readonly preset: SourcePreset;
  readonly secret: string;
  readonly otherSecret: string;
  /** The lower-case header with the signature. */
  readonly signatureHeader: string;
  /** Whether the body is signed; otherwise only the secret is sent. */
  readonly signsBody: boolean;
  /** Whether a time is signed: then an old request is refused. */
  readonly signsTime: boolean;
  /** A typical mapping. */
  readonly mapping: object;
  /** What its requests are like: an id, the name of the foreign object, and the text of its kind. */
  build(options: BuildOptions): ForeignRequest;
}

export interface BuildOptions {
  readonly secret: string;
  readonly at: Date;
  /** Identifies the event: a repetition has the same. */
  readonly id?: string;
  /** Names the foreign object. */
  readonly name?: string;
  /** The text that the mapping turns into a kind. */
  readonly verb?: string;
  /** The address that is signed, where one is. */
  readonly url: string;
  /** Replaces the time that is signed. */
  readonly signedAt?: Date;
}

const json = { 'content-type': 'application/json' };
const values = { created: 'created', changed: 'updated', deleted: 'retired' };
const kindAt = (from: string) => ({ from, values, otherwise: 'ignore' });
const hmac = (algorithm: string, secret: string | Buffer, text: string) => createHmac(algorithm, secret).update(text);
const toSeconds = (time: Date) => `${Math.floor(time.getTime() / 1_000)}`;

function aTwilio(preset: 'twilio' | 'twilio-shared-key', algorithm: string): ForeignSender {
  return {
    preset,
    secret: 'a token for Twilio',
    otherSecret: 'another for Twilio',
    signatureHeader: 'x-twilio-signature',
    signsBody: true,
    signsTime: false,
    mapping: { kind: kindAt('/CallStatus'), widgetId: { from: '/CallSid', as: 'name' } },
    build: ({ secret, url, id = randomUUID(), name = 'CA1', verb = 'changed' }) => {
      const fields = { CallSid: name, CallStatus: verb, Caller: '+12349013030' };
      const signed = `${url}CallSid${name}CallStatus${verb}Caller+12349013030`;
      const own = {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'i-twilio-idempotency-token': id,
        'x-twilio-signature': hmac(algorithm, secret, signed).digest('base64'),
      };
      return { headers: own, body: `${new URLSearchParams(fields)}` };
    },
  };
}

export const foreignSenders: readonly ForeignSender[] = [
  {
    preset: 'github',
    secret: 'a secret for GitHub',
    otherSecret: 'another for GitHub',
    signatureHeader: 'x-hub-signature-256',
    signsBody: true,
    signsTime: false,
    mapping: {
      kind: kindAt('/action'),
      occurredAt: { from: '/repository/updated_at' },
      widgetId: { from: '/repository/full_name', as: 'name' },
      payload: { from: '/repository' },
    },
    build: ({ secret, at, id = randomUUID(), name = 'acme/pump', verb = 'changed' }) => {
      const body = JSON.stringify({ action: verb, repository: { full_name: name, updated_at: at.toISOString() } });
      const signature = `sha256=${hmac('sha256', secret, body).digest('hex')}`;
      const own = { 'x-github-event': 'repository', 'x-github-delivery': id, 'x-hub-signature-256': signature };
      return { headers: { ...json, ...own }, body };
    },
  },
  {
    preset: 'gitlab',
    secret: 'a token for GitLab',
    otherSecret: 'another for GitLab',
    signatureHeader: 'x-gitlab-token',
    signsBody: false,
    signsTime: false,
    mapping: { kind: kindAt('/object_attributes/action'), widgetId: { from: '/project/id', as: 'name' } },
    build: ({ secret, id = randomUUID(), name = '17', verb = 'changed' }) => ({
      headers: { ...json, 'x-gitlab-token': secret, 'idempotency-key': id },
      body: `{"object_attributes":{"action":"${verb}"},"project":{"id":${JSON.stringify(name)}}}`,
    }),
  },
  {
    preset: 'stripe',
    secret: 'whsec_of_stripe_is_a_text',
    otherSecret: 'whsec_another_text',
    signatureHeader: 'stripe-signature',
    signsBody: true,
    signsTime: true,
    mapping: {
      kind: kindAt('/type'),
      widgetId: { from: '/data/object/id', as: 'name' },
      payload: { from: '/data/object' },
    },
    build: ({ secret, at, signedAt = at, id = `evt_${randomUUID()}`, name = 'sub_1', verb = 'changed' }) => {
      const created = Number(toSeconds(at));
      const body = JSON.stringify({ id, type: verb, created, data: { object: { id: name } } });
      const time = toSeconds(signedAt);
      const signature = hmac('sha256', secret, `${time}.${body}`).digest('hex');
      return { headers: { ...json, 'stripe-signature': `t=${time},v0=00,v1=${signature}` }, body };
    },
  },
  {
    preset: 'shopify',
    secret: 'a secret for Shopify',
    otherSecret: 'another for Shopify',
    signatureHeader: 'x-shopify-hmac-sha256',
    signsBody: true,
    signsTime: false,
    mapping: {
      kind: { header: 'x-shopify-topic', values, otherwise: 'ignore' },
      widgetId: { from: '/id', as: 'name' },
    },
    build: ({ secret, at, id = randomUUID(), name = '632910392', verb = 'changed' }) => {
      const body = JSON.stringify({ id: name, title: 'Pump' });
      const own = {
        'x-shopify-topic': verb,
        'x-shopify-webhook-id': id,
        'x-shopify-triggered-at': at.toISOString(),
        'x-shopify-hmac-sha256': hmac('sha256', secret, body).digest('base64'),
      };
      return { headers: { ...json, ...own }, body };
    },
  },
  {
    preset: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    otherSecret: '8f742231b10e8888abcd99yyyzzz85a6',
    signatureHeader: 'x-slack-signature',
    signsBody: true,
    signsTime: true,
    mapping: {
      kind: kindAt('/event/type'),
      widgetId: { from: '/event/channel', as: 'name' },
      payload: { from: '/event' },
    },
    build: ({ secret, at, signedAt = at, id = `Ev${randomUUID()}`, name = 'C1', verb = 'changed' }) => {
      const event = { type: verb, channel: name };
      const body = JSON.stringify({ type: 'event_callback', event_id: id, event_time: Number(toSeconds(at)), event });
      const time = toSeconds(signedAt);
      const signature = `v0=${hmac('sha256', secret, `v0:${time}:${body}`).digest('hex')}`;
      return { headers: { ...json, 'x-slack-request-timestamp': time, 'x-slack-signature': signature }, body };
    },
  },
  {
    preset: 'linear',
    secret: 'lin_wh_a_secret_of_linear',
    otherSecret: 'lin_wh_another',
    signatureHeader: 'linear-signature',
    signsBody: true,
    signsTime: true,
    mapping: { kind: kindAt('/action'), widgetId: { from: '/data/id', as: 'name' }, payload: { from: '/data' } },
    build: ({ secret, at, signedAt = at, id = randomUUID(), name = 'LIN-1', verb = 'changed' }) => {
      const webhookTimestamp = signedAt.getTime();
      const body = JSON.stringify({ action: verb, createdAt: at.toISOString(), data: { id: name }, webhookTimestamp });
      const signature = hmac('sha256', secret, body).digest('hex');
      return { headers: { ...json, 'linear-delivery': id, 'linear-signature': signature }, body };
    },
  },
  aTwilio('twilio', 'sha1'),
  aTwilio('twilio-shared-key', 'sha256'),
  {
    preset: 'standard-webhooks',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    otherSecret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    signatureHeader: 'webhook-signature',
    signsBody: true,
    signsTime: true,
    mapping: { kind: kindAt('/type'), widgetId: { from: '/data/id', as: 'name' }, payload: { from: '/data' } },
    build: ({ secret, at, signedAt = at, id = `msg_${randomUUID()}`, name = 'contact-1', verb = 'changed' }) => {
      const body = JSON.stringify({ type: verb, timestamp: at.toISOString(), data: { id: name } });
      const time = toSeconds(signedAt);
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = `v1,${hmac('sha256', key, `${id}.${time}.${body}`).digest('base64')}`;
      const own = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
      return { headers: { ...json, ...own }, body };
    },
  },
  {
    preset: 'cloudevents',
    secret: 'a-bearer-token',
    otherSecret: 'another-bearer-token',
    signatureHeader: 'authorization',
    signsBody: false,
    signsTime: false,
    mapping: { kind: kindAt('/type'), widgetId: { from: '/subject', as: 'name' }, payload: { from: '/data' } },
    build: ({ secret, at, id = randomUUID(), name = 'pump-7', verb = 'changed' }) => {
      const event = { specversion: '1.0', id, source: '/plant', type: verb, subject: name, time: at.toISOString() };
      return {
        headers: { 'content-type': 'application/cloudevents+json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ ...event, data: { pressure: 1 } }),
      };
    },
  },
  {
    preset: 'custom',
    secret: '00112233445566778899aabbccddeeff',
    otherSecret: 'ff112233445566778899aabbccddeeff',
    signatureHeader: 'x-signature',
    signsBody: true,
    signsTime: true,
    mapping: {
      kind: kindAt('/verb'),
      occurredAt: { from: '/at', format: 'unix-milliseconds' },
      widgetId: { all: [{ from: '/plant' }, { from: '/name' }], as: 'name' },
      id: { header: 'x-id' },
    },
    build: ({ secret, at, signedAt = at, id = randomUUID(), name = 'pump', verb = 'changed' }) => {
      const body = JSON.stringify({ verb, at: at.getTime(), plant: 'north', name });
      const time = toSeconds(signedAt);
      const signature = hmac('sha512', Buffer.from(secret, 'hex'), `${id}|${time}|${body}`).digest('base64');
      return { headers: { ...json, 'x-id': id, 'x-time': time, 'x-signature': `1;${signature}` }, body };
    },
  },
];

/** The scheme of the sender with the preset `custom`. */
export const customScheme = {
  algorithm: 'hmac-sha512',
  header: 'X-Signature',
  prefix: '1;',
  encoding: 'base64',
  signed: '{id}|{timestamp}|{body}',
  timestamp: { header: 'x-time' },
  idHeader: 'x-id',
  secretEncoding: 'hex',
};

/** Returns the member `source` of an integration for this sender. */
export function toSource({ preset, secret, mapping }: ForeignSender, secrets: readonly string[] = [secret]): object {
  return { preset, secrets, mapping, ...(preset === 'custom' ? { scheme: customScheme } : {}) };
}
