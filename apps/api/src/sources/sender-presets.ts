import type { GivenMapping, HookMapping, TextFilter, TextPlace } from '@widget-service/shared/entities/hook-mapping.ts';
import {
  type HookSource,
  type SignatureScheme,
  type SourcePreset,
  schemeDefaults,
} from '@widget-service/shared/entities/hook-source.ts';

/** What the service knows about one kind of sender: how it signs, and where its ids and times are. */
export interface Preset {
  /** Null with `custom`: the integration says it. */
  readonly scheme: SignatureScheme | null;
  /** The parts of a mapping that the integration may leave out. */
  readonly defaults: Pick<HookMapping, 'occurredAt' | 'id'>;
  /** Replaces `defaults.id` where a request has none: other versions or kinds of requests of the sender have it. */
  readonly otherId: TextPlace | null;
  /** Null: the sender has none. */
  readonly handshake: Handshake | null;
  /** Requests that are no events, such as a test of the address: they are ignored before the mapping. */
  readonly pings: readonly TextFilter[];
  /** What the sender documents as secret in its bodies (JSON Pointers). A default payload leaves it out. */
  readonly secretMembers: readonly string[];
  /** Whether the sender asks by OPTIONS whether it may post hooks (`answerProbe`). */
  readonly asksForItsOrigin: boolean;
}

/** A request by which a sender verifies the address. `answer`: where the text is that it expects back. */
export interface Handshake {
  readonly when: TextFilter;
  readonly answer: TextPlace;
}

/** Twilio signs the address and the fields of a form. */
const twilio: SignatureScheme = {
  ...schemeDefaults,
  header: 'x-twilio-signature',
  encoding: 'base64',
  signed: '{url}{form}',
  bodyHashParameter: 'bodySHA256',
};

/** The time of the arrival. */
const arrival: HookMapping['occurredAt'] = { now: true, format: 'rfc3339', otherwise: 'now' };

/** A sender that posts events and nothing else. */
const plain = { otherId: null, handshake: null, pings: [], secretMembers: [], asksForItsOrigin: false } as const;

/** One row for each sender, with the document from which it comes. */
export const presets: Readonly<Record<SourcePreset, Preset>> = {
  github: {
    // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    scheme: { ...schemeDefaults, header: 'x-hub-signature-256', prefix: 'sha256=' },
    defaults: { occurredAt: arrival, id: { header: 'x-github-delivery' } },
    ...plain,
    pings: [{ header: 'x-github-event', in: ['ping'] }],
  },
  gitlab: {
    // https://docs.gitlab.com/user/project/integrations/webhooks/
    scheme: { ...schemeDefaults, algorithm: 'token', header: 'x-gitlab-token' },
    defaults: { occurredAt: arrival, id: { header: 'idempotency-key' } },
    ...plain,
    // Before 17.4. It is new for each request, also for a repeated one. X-Gitlab-Event-UUID may be that of several
    // events.
    otherId: { header: 'x-gitlab-webhook-uuid' },
  },
  stripe: {
    // https://docs.stripe.com/webhooks/signature
    scheme: {
      ...schemeDefaults,
      header: 'stripe-signature',
      separator: ',',
      prefix: 'v1=',
      signed: '{timestamp}.{body}',
      timestamp: { entry: 't=', unit: 'seconds' },
    },
    defaults: {
      occurredAt: { from: '/created', format: 'unix-seconds', otherwise: 'refuse' },
      id: { from: '/id' },
    },
    ...plain,
    // https://docs.stripe.com/api/payment_intents/object: not to be stored, logged or shown to anyone but the customer.
    secretMembers: ['/data/object/client_secret'],
  },
  shopify: {
    // https://shopify.dev/docs/apps/build/webhooks/subscribe/https
    scheme: { ...schemeDefaults, header: 'x-shopify-hmac-sha256', encoding: 'base64' },
    defaults: {
      occurredAt: { header: 'x-shopify-triggered-at', format: 'rfc3339', otherwise: 'now' },
      id: { header: 'x-shopify-webhook-id' },
    },
    ...plain,
  },
  slack: {
    // https://docs.slack.dev/authentication/verifying-requests-from-slack/
    scheme: {
      ...schemeDefaults,
      header: 'x-slack-signature',
      prefix: 'v0=',
      signed: 'v0:{timestamp}:{body}',
      timestamp: { header: 'x-slack-request-timestamp', unit: 'seconds' },
    },
    defaults: {
      occurredAt: { from: '/event_time', format: 'unix-seconds', otherwise: 'now' },
      id: { from: '/event_id' },
    },
    ...plain,
    handshake: {
      when: { from: '/type', in: ['url_verification'] },
      answer: { from: '/challenge' },
    },
    // Of slash commands, shortcuts and interactions.
    otherId: { from: '/trigger_id' },
    pings: [
      { from: '/ssl_check', in: ['1'] },
      { from: '/type', in: ['app_rate_limited'] },
    ],
    // https://docs.slack.dev/reference/interaction-payloads: the old verification token lets its holder post as Slack,
    // and a response URL post to the channel. The others are keys of workflows. A trigger id is useless without the key
    // of the app.
    secretMembers: [
      ...['/token', '/response_url', '/response_urls', '/bot_access_token'],
      ...['/event/bot_access_token', '/interactivity/interactor/secret'],
    ],
  },
  linear: {
    // https://linear.app/developers/webhooks
    scheme: {
      ...schemeDefaults,
      header: 'linear-signature',
      timestamp: { from: '/webhookTimestamp', unit: 'milliseconds' },
      // As Linear recommends: its id is not signed, so an attacker could repeat a request with another id.
      toleranceSeconds: 60,
    },
    defaults: {
      occurredAt: { from: '/createdAt', format: 'rfc3339', otherwise: 'now' },
      id: { header: 'linear-delivery' },
    },
    ...plain,
  },
  twilio: {
    // https://www.twilio.com/docs/usage/webhooks/webhooks-security
    scheme: { ...twilio, algorithm: 'hmac-sha1' },
    defaults: { occurredAt: arrival, id: { header: 'i-twilio-idempotency-token' } },
    ...plain,
  },
  'twilio-shared-key': {
    // twilio 6.3.1 (npm), lib/webhooks
    scheme: twilio,
    defaults: { occurredAt: arrival, id: { header: 'i-twilio-idempotency-token' } },
    ...plain,
  },
  'standard-webhooks': {
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    scheme: {
      ...schemeDefaults,
      header: 'webhook-signature',
      separator: ' ',
      prefix: 'v1,',
      encoding: 'base64',
      signed: '{id}.{timestamp}.{body}',
      timestamp: { header: 'webhook-timestamp', unit: 'seconds' },
      idHeader: 'webhook-id',
      secretEncoding: 'whsec',
    },
    defaults: {
      occurredAt: { from: '/timestamp', format: 'rfc3339', otherwise: 'now' },
      id: { header: 'webhook-id' },
    },
    ...plain,
  },
  cloudevents: {
    // https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md
    scheme: { ...schemeDefaults, algorithm: 'token', header: 'authorization', prefix: 'Bearer ' },
    defaults: {
      occurredAt: { from: '/time', format: 'rfc3339', otherwise: 'now' },
      // An id is unique only within its source.
      id: { all: [{ from: '/source' }, { from: '/id' }] },
    },
    ...plain,
    asksForItsOrigin: true,
  },
  custom: {
    scheme: null,
    defaults: { occurredAt: arrival, id: null },
    ...plain,
  },
};

const completeSchemes = new WeakMap<object, SignatureScheme>();

/** Returns how requests of a sender are signed: for the same `scheme`, the same object. */
export function findScheme({ preset, scheme }: Pick<HookSource, 'preset' | 'scheme'>): SignatureScheme {
  const ofPreset = presets[preset].scheme;
  if (ofPreset !== null) return ofPreset;
  if (scheme === null) throw new Error('A custom source needs a scheme.');
  const complete = completeSchemes.get(scheme) ?? { ...schemeDefaults, ...scheme };
  completeSchemes.set(scheme, complete);
  return complete;
}

/** Completes the mapping with the defaults of the preset. */
export function completeMapping(preset: SourcePreset, given: GivenMapping): HookMapping {
  const { defaults, secretMembers } = presets[preset];
  const wholeBody = secretMembers.length === 0 ? { from: '' } : { from: '', without: secretMembers };
  const { only, kind, occurredAt, widgetId, id = defaults.id, payload = wholeBody } = given;
  // In one order, so that the audit trail shows no change where there is none.
  return { only, kind, occurredAt: occurredAt ?? defaults.occurredAt, widgetId, id, payload };
}
