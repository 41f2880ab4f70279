import type { Schemas } from '../../../service/service.ts';
import { emptyMapping, type MappingDraft } from './mapping-draft.ts';
import type { Sample } from './sample.ts';

export type PresetName = Schemas['NewHookSource']['preset'];

interface Example {
  readonly sample: Sample;
  readonly mapping: MappingDraft;
}

const write = (body: object) => JSON.stringify(body, null, 2);
const example = (headers: string, body: string, mapping: Partial<MappingDraft>): Example => ({
  sample: { headers, body },
  mapping: { ...emptyMapping, ...mapping },
});

/** A typical request of each sender, and a mapping that fits it. */
export const examples: Readonly<Record<PresetName, Example>> = {
  github: example(
    'x-github-event: repository\nx-github-delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
    write({
      action: 'archived',
      repository: { id: 1296269, full_name: 'octo-org/octo-repo', updated_at: '2026-11-01T10:00:00Z' },
      sender: { login: 'octocat' },
    }),
    {
      kind: '/action',
      kinds: 'created = created\narchived = retired\ndeleted = retired',
      occurredAt: '/repository/updated_at',
      widgetId: '/repository/full_name',
      payload: '/repository',
      only: 'header: x-github-event = repository',
    },
  ),
  gitlab: example(
    'x-gitlab-event: Issue Hook\nidempotency-key: 13792a34-cac6-4fda-95a8-c58e00a3954e',
    write({
      object_kind: 'issue',
      project: { path_with_namespace: 'octo/repo' },
      object_attributes: { action: 'open' },
    }),
    {
      kind: '/object_attributes/action',
      kinds: 'open = created\nclose = retired',
      widgetId: '/project/path_with_namespace',
      payload: '/object_attributes',
    },
  ),
  stripe: example(
    'content-type: application/json',
    write({
      id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
      type: 'customer.subscription.deleted',
      created: 1686089970,
      data: { object: { id: 'sub_1MowQVLkdIwHu7ixeRlqHVzs', status: 'canceled' } },
    }),
    {
      kind: '/type',
      kinds: 'customer.subscription.created = created\ncustomer.subscription.deleted = retired',
      otherwise: 'ignore',
      widgetId: '/data/object/id',
      payload: '/data/object',
    },
  ),
  shopify: example(
    'x-shopify-topic: products/update\nx-shopify-webhook-id: b54557e4-bdd9-4b37-8a5f-bf7d70bcd043\nx-shopify-triggered-at: 2026-11-01T10:00:00Z',
    write({ id: 632910392, title: 'Pump 7', status: 'active' }),
    {
      kind: 'header: x-shopify-topic',
      kinds: 'products/create = created\nproducts/delete = retired',
      widgetId: '/id',
    },
  ),
  slack: example(
    'content-type: application/json',
    write({
      type: 'event_callback',
      event_id: 'Ev0PV52K21',
      event_time: 1355517523,
      event: { type: 'channel_archive', channel: 'C024BE91L', user: 'U024BE7LH' },
    }),
    {
      kind: '/event/type',
      kinds: 'channel_created = created\nchannel_archive = retired',
      widgetId: '/event/channel',
      payload: '/event',
    },
  ),
  linear: example(
    'linear-delivery: 234d1a4e-b617-4388-90fe-adc3633d6b72\nlinear-event: Issue',
    write({
      action: 'update',
      type: 'Issue',
      createdAt: '2026-11-01T10:00:00.000Z',
      data: { id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9', title: 'Check pump 7' },
      webhookTimestamp: 1793527200000,
    }),
    { kind: '/action', kinds: 'create = created\nremove = retired', widgetId: '/data/id', payload: '/data' },
  ),
  twilio: example(
    'content-type: application/x-www-form-urlencoded\ni-twilio-idempotency-token: 7c2a0a4e-3c69-4c0f-9a2d-3a4a1e1d2f10',
    'CallSid=CA1234567890ABCDE&CallStatus=completed&Caller=%2B12349013030',
    { kind: '/CallStatus', kinds: 'initiated = created\ncompleted = retired', widgetId: '/CallSid' },
  ),
  'twilio-shared-key': example(
    'content-type: application/x-www-form-urlencoded\ni-twilio-idempotency-token: 7c2a0a4e-3c69-4c0f-9a2d-3a4a1e1d2f10',
    'CallSid=CA1234567890ABCDE&CallStatus=completed&Caller=%2B12349013030',
    { kind: '/CallStatus', kinds: 'initiated = created\ncompleted = retired', widgetId: '/CallSid' },
  ),
  'standard-webhooks': example(
    'webhook-id: msg_2KWPBgLlAfxdpx2AI54pPJ85f4W\nwebhook-timestamp: 1674087231',
    write({ type: 'contact.updated', timestamp: '2026-11-01T10:00:00Z', data: { id: '1f81eb52', name: 'Pump 7' } }),
    {
      kind: '/type',
      kinds: 'contact.created = created\ncontact.deleted = retired',
      widgetId: '/data/id',
      payload: '/data',
    },
  ),
  cloudevents: example(
    'content-type: application/cloudevents+json',
    write({
      specversion: '1.0',
      id: 'A234-1234-1234',
      source: '/plant/north',
      type: 'pump.stopped',
      subject: 'pump-7',
      time: '2026-11-01T10:00:00Z',
      data: { pressure: 0 },
    }),
    {
      kind: '/type',
      kinds: 'pump.installed = created\npump.removed = retired',
      widgetId: '/subject',
      payload: '/data',
    },
  ),
  custom: example(
    'content-type: application/json',
    write({ event: 'changed', at: '2026-11-01T11:00:00+01:00', machine: 'pump-7', pressure: 3 }),
    { kind: '/event', occurredAt: '/at', widgetId: '/machine', kinds: 'installed = created\nscrapped = retired' },
  ),
};

/** What the field for the scheme of another sender begins with. */
export const exampleScheme = write({
  algorithm: 'hmac-sha256',
  header: 'x-signature',
  encoding: 'hex',
  signed: '{body}',
});
