import { formatCount } from '../../parts/format.ts';

interface RedriveOutcome {
  readonly published: number;
  readonly dead: number;
  readonly waiting: number;
  readonly failed: number;
  readonly gone: number;
  readonly reasons: readonly (keyof typeof reasons)[];
}

const reasons = {
  'invalid-delivery': 'Its entry in the queue is malformed, or processing it failed repeatedly.',
  'store-refused': 'The store rejects it as it is.',
};

const countDeliveries = (count: number) => (count === 1 ? '1 delivery' : `${formatCount(count)} deliveries`);
const be = (count: number) => (count === 1 ? 'is' : 'are');

export const hooks = {
  title: 'Integrations',
  create: 'Create an integration',
  intro: 'An integration is a secret URL where another system posts hooks. Give each sender its own.',
  empty: 'Create an integration, and give its URL to the system that sends hooks.',
  signature: 'Hooks must be signed',
  signatureHint: 'As defined by Standard Webhooks. The signing secret is shown once.',
  deduplicate: 'Hooks without an id and with the same content are one hook',
  rate: 'Hooks per second',
  rateHint: 'Leave it empty for the limit of the service.',
  rateDefault: 'the limit of the service',
  lastReceivedAt: 'Last received',
  signatureNames: {
    none: 'not required',
    'standard-webhooks': 'required (Standard Webhooks)',
    source: 'as the sender signs',
  },
  yes: 'yes',
  no: 'no',
  deliveries: 'Deliveries',
  deliveriesEmptyTitle: 'No delivery',
  deliveriesEmpty:
    'Each accepted hook appears here, and stays for the retention time of the service (DELIVERY_RETENTION_MS) after its publication. A dead one stays until you redrive or discard it.',
  deliveriesNoMatchTitle: 'No delivery matches',
  deliveriesNoMatch: 'Change the times or the state.',
  from: 'From',
  to: 'Before',
  state: 'State',
  states: { all: 'All states', received: 'Received', published: 'Published', dead: 'Dead', discarded: 'Discarded' },
  kind: 'Kind',
  receivedAt: 'Received',
  occurredAt: 'Occurred',
  publishedAt: 'Published',
  widget: 'Widget',
  attempts: 'Attempts',
  duplicates: 'Duplicates',
  reason: 'Reason',
  position: 'Position',
  effect: 'Effect on the widget',
  noEffect: 'none so far',
  event: 'Event',
  payload: 'Payload',
  publishedEvent: 'Event, as streams send it',
  eventGone: 'The event log no longer holds it, or did not answer.',
  reasons,
  redrive: 'Redrive',
  /** What became of redriven deliveries. */
  describeRedrive: ({ published, dead, waiting, failed, gone, reasons: found }: RedriveOutcome) =>
    [
      published === 0 ? '' : `${countDeliveries(published)} ${published === 1 ? 'was' : 'were'} published.`,
      dead === 0 ? '' : `${countDeliveries(dead)} ${be(dead)} dead again.`,
      ...found.map((reason) => reasons[reason]),
      waiting === 0 ? '' : `${countDeliveries(waiting)} ${be(waiting)} not processed yet.`,
      failed === 0
        ? ''
        : failed === 1
          ? '1 delivery was not queued: redrive it again.'
          : `${countDeliveries(failed)} were not queued: redrive them again.`,
      gone === 0
        ? ''
        : `${countDeliveries(gone)} cannot be redriven: ${gone === 1 ? 'its' : 'their'} integration is deleted.`,
    ]
      .filter((sentence) => sentence !== '')
      .join(' ') || 'No delivery was redriven.',
  discard: 'Discard',
  buttonsForSelected: (count: number) => ({ redrive: `Redrive ${count}`, discard: `Discard ${count}` }),
  discardTitle: (count: number) => (count === 1 ? 'Discard this delivery?' : `Discard ${count} deliveries?`),
  discardText:
    'The payload is erased for good, so it can never be redriven. The list still shows, for the retention time of the service, that the hook was received and discarded.',
  discarded: (count: number) => (count === 1 ? '1 delivery was discarded.' : `${count} deliveries were discarded.`),
  discardedNotice: 'It was discarded, and its payload was erased for good. The audit events say who did it.',
  redriveProgress: (done: number, all: number) => `${done} of ${all}`,
  deadDeliveries: {
    title: 'Dead deliveries',
    intro:
      'Hooks of all integrations that were accepted, but cannot be processed as they are. Remove the cause, then redrive them: each takes effect once.',
    count: (count: number) => countDeliveries(count),
    emptyTitle: 'No dead deliveries',
    empty: 'A hook that was accepted but cannot be processed appears here.',
    integration: 'Integration',
    deletedIntegration: 'a deleted integration',
    selectAll: (count: number) => `Select all ${formatCount(count)} dead`,
    clear: 'Clear the selection',
    redrive: (count: number) => `Redrive ${formatCount(count)}`,
  },
  select: 'Select',
  selectAll: 'Select all dead deliveries of this page',
  find: {
    title: 'Find a hook',
    label: 'Webhook id or event id of a hook',
    submit: 'Find',
    arrived: {
      received: 'Arrived, and waits to be processed.',
      published: 'Arrived and published.',
      dead: 'Arrived, but could not be processed.',
      discarded: 'Arrived, and was discarded by an operator.',
    },
    refused: 'Refused.',
    from: (address: string) => `from ${address}`,
    refusedBefore: (count: number) =>
      count === 1 ? 'Refused once before.' : `Refused ${formatCount(count)} times before.`,
    never: 'Never reached this integration.',
    neverText:
      'Check the URL and its token. A hook with an unknown token belongs to no integration: only the log has it, as invalid-hook-token.',
    view: 'View the hook',
    looked: 'Looked in deliveries, dead deliveries and the listed refusals of the last 7 days.',
  },
  quarantine: {
    title: 'Quarantine',
    intro:
      'Texts in the hook queue that could not even become dead deliveries. They have no effect, and are kept until you discard them. Usually another program wrote them to the queue.',
    emptyTitle: 'Nothing in quarantine',
    empty: 'As it should be.',
    quarantinedAt: 'Quarantined',
    reason: 'Why',
    reasons: {
      unreadable: 'No event or integration can be read from it.',
      'store-refused': 'The store rejects this hook, even as a dead delivery.',
    },
    integration: 'Integration',
    size: 'Size',
    unknown: 'unknown',
    show: 'Show',
    showTitle: 'Text in quarantine',
    showText:
      'Shown as a JSON string, up to its first 20,000 characters. The service did not write it: do not trust it.',
    discard: 'Discard',
    discardTitle: 'Discard this text?',
    discardText: 'The text is removed for good. If it is a hook, its sender must repeat it.',
    discarded: 'The text was discarded.',
  },
  refusals: 'Refused hooks',
  refusalsEmptyTitle: 'No refused hook',
  refusalsEmpty: 'When the service refuses a hook, the problem is listed here for up to 7 days.',
  refusedAt: 'Refused',
  code: 'Problem',
  detail: 'Why',
  webhookId: 'webhook-id',
  sender: 'Sender',
  senderUnknown: 'unknown',
  unlisted: (count: number) => `and ${formatCount(count)} more in the same second`,
  test: 'Send a test hook',
  testIntro: 'It has the same effect as any other hook. It needs the secret URL, which the service does not keep.',
  testUrl: 'Secret URL',
  testSecretHint: 'Starts with whsec_. This integration accepts only signed hooks.',
  testKind: 'Kind',
  testWidget: 'Widget id',
  testWidgetHint: 'May be empty with the kind “created”.',
  testWidgetWrong: 'This is not a widget id. The page of a widget shows its id.',
  testPayload: 'Payload',
  testPayloadHint: 'A JSON object.',
  testPayloadWrong: 'The payload is not a JSON object.',
  testSend: 'Send',
  testAccepted: (eventId: string) => `Accepted as event ${eventId}.`,
  kinds: { created: 'Created', updated: 'Updated', retired: 'Retired' },
};
