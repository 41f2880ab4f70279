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
  'invalid-delivery': 'Processing failed repeatedly, or the queue entry is damaged.',
  'store-refused': 'The database rejects the content of this hook. Fix the cause, then redrive it.',
};
const shortReasons: typeof reasons = {
  'invalid-delivery': 'Processing failed',
  'store-refused': 'Rejected by the database',
};

const describeReasons = (found: RedriveOutcome['reasons']) =>
  found.length === 0 ? '' : `: ${found.map((reason) => shortReasons[reason].toLowerCase()).join(', ')}`;

/** What an empty list of hooks says. `hasTimes`: only hooks of a time range are shown. */
const describeEmpty = (state: string, hasTimes: boolean) => {
  if (hasTimes) return { title: 'No hooks in this time range', text: 'Choose another time range or state.' };
  if (state === 'all')
    return {
      title: 'No hooks yet',
      text: 'Each hook that the service accepts or refuses appears here. A published hook is kept for the retention time (DELIVERY_RETENTION_MS), a dead one until you redrive or discard it.',
    };
  if (state === 'refused')
    return {
      title: 'No refused hooks',
      text: 'A hook that the service refuses appears here for 7 days (at most 100), with the reason that its sender got.',
    };
  return { title: 'No hooks match', text: 'No hook of this integration is in this state.' };
};

const countDeliveries = (count: number) => (count === 1 ? '1 delivery' : `${formatCount(count)} deliveries`);
const be = (count: number) => (count === 1 ? 'is' : 'are');

export const hooks = {
  title: 'Integrations',
  create: 'Create integration',
  intro: 'Each integration is a secret URL that one external system posts hooks to.',
  empty: 'Create an integration, and give its URL to the system that sends hooks.',
  requireSignature: 'Require signed hooks',
  signatureHint: 'As defined by Standard Webhooks. The signing secret is shown once.',
  signature: 'Signature',
  signatureNames: {
    none: 'Not required',
    'standard-webhooks': 'Required (Standard Webhooks)',
    source: 'Scheme of the sender',
  },
  deduplicate: 'Deduplicate by content',
  deduplicateHint: 'If a hook has no webhook-id, an identical one counts as a duplicate.',
  on: 'On',
  off: 'Off',
  rate: 'Hooks per second',
  rateHint: 'Optional. Leave empty for the service default.',
  rateLimit: 'Rate limit',
  formatRate: (rate: number | null) => (rate === null ? 'Service default' : `${formatCount(rate)}/s`),
  lastReceivedAt: 'Last hook',
  list: 'Hooks',
  state: 'State',
  states: {
    all: 'All',
    received: 'Waiting',
    published: 'Published',
    refused: 'Refused',
    dead: 'Dead',
    discarded: 'Discarded',
  },
  timeRange: 'Time range',
  timeRanges: {
    any: 'Any time',
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    custom: 'Custom',
  },
  from: 'From',
  to: 'Before',
  describeEmpty,
  /** Below a list with refused hooks. */
  refusalsNote:
    'Refused hooks are kept for up to 7 days, at most 100. A listed one may stand for several in the same second.',
  /** Before a time. */
  refusalsEnd: 'The list is full: it has no refused hooks from before',
  noWidget: 'No widget',
  noWebhookId: 'No webhook-id',
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
  noEffect: 'No change to the widget (yet)',
  /** The page of one accepted hook. */
  delivery: 'Delivery',
  nameDelivery: (widget: string, kind: string) => `${widget} · ${kind}`,
  eventId: 'Event id',
  copyEventId: 'Copy event id',
  payload: 'Payload',
  copyPayload: 'Copy payload',
  publishedEvent: 'Event, as streams send it',
  copyEvent: 'Copy event',
  eventGone: 'The event is no longer in the event log, or the event log did not answer.',
  reasons,
  /** In a list. */
  shortReasons,
  redrive: 'Redrive',
  /** What became of redriven deliveries. */
  describeRedrive: ({ published, dead, waiting, failed, gone, reasons: found }: RedriveOutcome) =>
    [
      published === 0 ? '' : `${countDeliveries(published)} ${published === 1 ? 'was' : 'were'} published.`,
      dead === 0 ? '' : `${countDeliveries(dead)} ${be(dead)} dead again${describeReasons(found)}.`,
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
    'This erases the payload for good: no redrive is possible afterwards. Until its retention ends, the list still shows that the hook was received and discarded.',
  discarded: (count: number) => `${countDeliveries(count)} ${count === 1 ? 'was' : 'were'} discarded.`,
  discardedNotice: 'Discarded: the payload was erased for good. The audit log says who did it.',
  redriveProgress: (done: number, all: number) => `${done} of ${all}`,
  deadDeliveries: {
    title: 'Dead deliveries',
    intro:
      'Dead: accepted, but cannot be processed. Fix the cause, then redrive them. Each takes effect once, however often you redrive it.',
    count: (count: number) => countDeliveries(count),
    emptyTitle: 'No dead deliveries',
    empty: 'A hook that was accepted but cannot be processed appears here.',
    integration: 'Integration',
    deletedIntegration: 'Deleted integration',
    selectAll: (count: number) => `Select all ${formatCount(count)} dead`,
    clear: 'Clear selection',
    redrive: (count: number) => `Redrive ${formatCount(count)}`,
  },
  select: 'Select',
  selectAll: 'Select all dead deliveries of this page',
  find: {
    title: 'Find a hook',
    label: 'Find a hook by webhook-id or event id',
    submit: 'Find',
    arrived: {
      received: 'Arrived. Waiting to be processed.',
      published: 'Arrived and published.',
      dead: 'Arrived, but it cannot be processed.',
      discarded: 'Arrived, and an operator discarded it.',
    },
    refused: 'Refused.',
    from: (address: string) => `from ${address}`,
    refusedBefore: (count: number) =>
      count === 1 ? 'Refused once before.' : `Refused ${formatCount(count)} times before.`,
    never: 'Never reached this integration.',
    neverAnywhere: 'Never reached any of these integrations.',
    neverText:
      'Check the URL and its token. A hook with an unknown token belongs to no integration: only the log of the service shows it, as invalid-hook-token.',
    view: 'View hook',
    looked: 'Looked in deliveries, dead deliveries and the listed refusals of the last 7 days.',
    lookedIn: (count: number, all: number) =>
      count === all
        ? `Looked in ${all === 1 ? '1 integration' : `all ${formatCount(all)} integrations`}: deliveries, dead deliveries and the listed refusals of the last 7 days.`
        : `Looked in the ${formatCount(count)} integrations that received hooks last, of ${formatCount(all)}. To search another one, open its page.`,
  },
  quarantine: {
    title: 'Quarantine',
    intro:
      'Texts in the hook queue that could not even become dead deliveries, usually because another program wrote them. They have no effect. They stay until you discard them.',
    emptyTitle: 'Nothing in quarantine',
    empty: 'A text in the hook queue that is not a hook appears here.',
    quarantinedAt: 'Quarantined',
    reason: 'Reason',
    reasons: {
      unreadable: 'It names no event or integration.',
      'store-refused': 'The database rejects this hook, even as a dead delivery.',
    },
    integration: 'Integration',
    size: 'Size',
    unknown: 'Unknown',
    show: 'Show',
    showTitle: 'Text in quarantine',
    showText:
      'The first 20,000 characters, written as a JSON string. The service did not write this text: do not trust it.',
    discard: 'Discard',
    discardTitle: 'Discard this text?',
    discardText: 'This removes the text for good. If it is a hook, its sender must repeat it.',
    discarded: 'Text discarded.',
  },
  refusedAt: 'Refused',
  problem: 'Problem',
  detail: 'Reason',
  mistakes: 'Mistakes',
  webhookId: 'webhook-id',
  copyWebhookId: 'Copy webhook-id',
  sender: 'Sender',
  senderUnknown: 'Unknown',
  requestId: 'Request id',
  copyRequestId: 'Copy request id',
  notListed: 'Not listed',
  unlisted: (count: number) =>
    `Stands for ${formatCount(count)} more ${count === 1 ? 'hook' : 'hooks'} with this problem in the same second.`,
  test: 'Send test hook',
  testUnsigned:
    'This page is open over plain HTTP, where browsers sign nothing. Open it over HTTPS or at localhost to send a signed hook.',
  testIntro: 'A test hook has the same effect as any other hook.',
  testUrl: 'Secret URL',
  testUrlHint: 'Paste the URL that you saved: the service keeps only its hash.',
  testSecretHint: 'Starts with whsec_. This integration accepts only signed hooks.',
  testKind: 'Kind',
  testWidget: 'Widget',
  testWidgetHint: 'Search by name, or paste a widget id. Optional for the kind “Created”.',
  testWidgetMatches: 'Widgets that match',
  testWidgetNone: 'No widgets match.',
  testWidgetUnchosen: 'Choose a widget from the list, or paste its id.',
  testWidgetWrong: 'This is not a widget id. The page of a widget shows its id.',
  testPayload: 'Payload',
  testPayloadHint: 'A JSON object.',
  testPayloadWrong: 'The payload must be a JSON object.',
  testSend: 'Send test hook',
  testAccepted: (duration: string) => `202 Accepted · ${duration} ·`,
  testView: 'View event',
  testRetrying: (attempts: number) => `${attempts === 1 ? '1 attempt' : `${attempts} attempts`} failed. Retrying…`,
  testWaiting: 'Waiting for publication…',
  testLate: 'Not in this integration yet. Does the URL belong to another integration?',
  kinds: { created: 'Created', updated: 'Updated', retired: 'Retired' },
};
