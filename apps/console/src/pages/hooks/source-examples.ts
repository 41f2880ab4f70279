import type { Schemas } from '../../service/service.ts';

export type PresetName = Schemas['NewHookSource']['preset'];
type Mapping = Schemas['NewHookMapping'];

/** A request of a sender, as a person pastes it. */
export interface Sample {
  /** `name: value` a line. */
  readonly headers: string;
  readonly body: string;
}

const headerLine = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?::(.*))?$/;

/** Returns the headers for the service. A name on two lines has two values; one without a value has an empty one. */
export function toHeaders(text: string): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of text.split('\n')) {
    const [, typed, value = ''] = headerLine.exec(line) ?? [];
    if (typed === undefined) continue;
    const name = typed.toLowerCase();
    headers[name] = [...(headers[name] ?? []), value.trim()];
  }
  return headers;
}

/** A sender with a typical request, and a mapping that fits it. */
interface Sender {
  readonly name: string;
  readonly sample: Sample;
  readonly mapping: Mapping;
}

const write = (body: object) => JSON.stringify(body, null, 2);
const json = 'content-type: application/json';

function sender(name: string, headers: string, body: object | string, mapping: Mapping): Sender {
  return { name, sample: { headers, body: typeof body === 'string' ? body : write(body) }, mapping };
}

/** `widget`, `payload`: pointers into the body. Without `payload`, all of it is the payload. */
function map(kind: Mapping['kind'], widget: string, payload?: string): Mapping {
  return {
    kind: { otherwise: 'updated', ...kind },
    widgetId: { from: widget, as: 'name' },
    ...(payload === undefined ? {} : { payload: { from: payload } }),
  };
}

const twilio = (name: string) =>
  sender(
    name,
    'content-type: application/x-www-form-urlencoded\ni-twilio-idempotency-token: 7c2a0a4e-3c69-4c0f-9a2d-3a4a1e1d2f10',
    'CallSid=CA1234567890ABCDE&CallStatus=completed&Caller=%2B12349013030',
    map({ from: '/CallStatus', values: { initiated: 'created', completed: 'retired' } }, '/CallSid'),
  );

const kindOfGitHub = {
  from: '/action',
  values: { created: 'created', archived: 'retired', deleted: 'retired' },
} as const;
const kindOfStripe = {
  from: '/type',
  values: { 'customer.subscription.created': 'created', 'customer.subscription.deleted': 'retired' },
  otherwise: 'ignore',
} as const;

export const senders: Readonly<Record<PresetName, Sender>> = {
  github: sender(
    'GitHub',
    'x-github-event: repository\nx-github-delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
    {
      action: 'archived',
      repository: { id: 1296269, full_name: 'octo-org/octo-repo', updated_at: '2026-11-01T10:00:00Z' },
      sender: { login: 'octocat' },
    },
    {
      only: [{ header: 'x-github-event', in: ['repository'] }],
      occurredAt: { from: '/repository/updated_at' },
      ...map(kindOfGitHub, '/repository/full_name', '/repository'),
    },
  ),
  gitlab: sender(
    'GitLab',
    'x-gitlab-event: Issue Hook\nidempotency-key: 13792a34-cac6-4fda-95a8-c58e00a3954e',
    { object_kind: 'issue', project: { path_with_namespace: 'octo/repo' }, object_attributes: { action: 'open' } },
    map(
      { from: '/object_attributes/action', values: { open: 'created', close: 'retired' } },
      '/project/path_with_namespace',
      '/object_attributes',
    ),
  ),
  stripe: sender(
    'Stripe',
    json,
    {
      id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
      type: 'customer.subscription.deleted',
      created: 1686089970,
      data: { object: { id: 'sub_1MowQVLkdIwHu7ixeRlqHVzs', status: 'canceled' } },
    },
    map(kindOfStripe, '/data/object/id', '/data/object'),
  ),
  shopify: sender(
    'Shopify',
    'x-shopify-topic: products/update\nx-shopify-webhook-id: b54557e4-bdd9-4b37-8a5f-bf7d70bcd043\nx-shopify-triggered-at: 2026-11-01T10:00:00Z',
    { id: 632910392, title: 'Pump 7', status: 'active' },
    map({ header: 'x-shopify-topic', values: { 'products/create': 'created', 'products/delete': 'retired' } }, '/id'),
  ),
  slack: sender(
    'Slack',
    json,
    {
      type: 'event_callback',
      event_id: 'Ev0PV52K21',
      event_time: 1355517523,
      event: { type: 'channel_archive', channel: 'C024BE91L', user: 'U024BE7LH' },
    },
    map(
      { from: '/event/type', values: { channel_created: 'created', channel_archive: 'retired' } },
      '/event/channel',
      '/event',
    ),
  ),
  linear: sender(
    'Linear',
    'linear-delivery: 234d1a4e-b617-4388-90fe-adc3633d6b72\nlinear-event: Issue',
    {
      action: 'update',
      type: 'Issue',
      createdAt: '2026-11-01T10:00:00.000Z',
      data: { id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9', title: 'Check pump 7' },
      webhookTimestamp: 1793527200000,
    },
    map({ from: '/action', values: { create: 'created', remove: 'retired' } }, '/data/id', '/data'),
  ),
  twilio: twilio('Twilio'),
  'twilio-shared-key': twilio('Twilio with a shared key'),
  'standard-webhooks': sender(
    'Standard Webhooks',
    'webhook-id: msg_2KWPBgLlAfxdpx2AI54pPJ85f4W\nwebhook-timestamp: 1674087231',
    { type: 'contact.updated', timestamp: '2026-11-01T10:00:00Z', data: { id: '1f81eb52', name: 'Pump 7' } },
    map({ from: '/type', values: { 'contact.created': 'created', 'contact.deleted': 'retired' } }, '/data/id', '/data'),
  ),
  cloudevents: sender(
    'CloudEvents with a bearer token',
    'content-type: application/cloudevents+json',
    {
      specversion: '1.0',
      id: 'A234-1234-1234',
      source: '/plant/north',
      type: 'pump.stopped',
      subject: 'pump-7',
      time: '2026-11-01T10:00:00Z',
      data: { pressure: 0 },
    },
    map({ from: '/type', values: { 'pump.installed': 'created', 'pump.removed': 'retired' } }, '/subject', '/data'),
  ),
  custom: sender(
    'Another sender',
    json,
    { event: 'changed', at: '2026-11-01T11:00:00+01:00', machine: 'pump-7', pressure: 3 },
    {
      occurredAt: { from: '/at' },
      ...map({ from: '/event', values: { installed: 'created', scrapped: 'retired' } }, '/machine'),
    },
  ),
};

/** Returns the source that a preset begins with, as the service takes it, but without its secret. */
export function writeSource(preset: PresetName): string {
  const scheme = { algorithm: 'hmac-sha256', header: 'x-signature', encoding: 'hex', signed: '{body}' };
  return write({ preset, ...(preset === 'custom' ? { scheme } : {}), mapping: senders[preset].mapping });
}
