import { widgetEventTypes } from '@widget-service/shared/domain/event-kind.ts';
import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import type { DescribedEvent } from '../schemas/problem.ts';
import { timestamp } from '../schemas/text.ts';
import { type ClosingReason, closingRules } from './fan-out/closing-rules.ts';

const position = z.string().meta({ examples: ['k3f9.1764000000000.1284'] });

const exampleWidgetId = '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01';
const exampleEvent = {
  specversion: '1.0',
  id: 'b7e05c1d-38a2-8f64-9d1b-6a4c2f7e9035',
  source: '/api/v1/integrations/3c8e1f70-52d4-4b9a-8e36-d1f7a05b2c49',
  type: 'widget.retired',
  subject: exampleWidgetId,
  time: '2026-03-02T10:59:58.000Z',
  datacontenttype: 'application/json',
  data: {
    origin: 'hook',
    receivedAt: '2026-03-02T11:00:00.250Z',
    late: false,
    stateChanged: true,
    widget: {
      id: exampleWidgetId,
      name: 'Pump 7',
      state: 'retired',
      labels: ['north', 'indoor'],
      owner: { userId: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24', notify: true },
      createdAt: '2026-03-01T09:30:00.000Z',
      updatedAt: '2026-03-02T11:00:00.250Z',
      retiredAt: '2026-03-02T10:59:58.000Z',
      lastEventAt: '2026-03-02T10:59:58.000Z',
      version: 2,
    },
    payload: { pressure: 0 },
  },
} as const;
const exampleOpen = {
  subscriptionId: '5a9d2e81-07c3-4f6b-b2e4-91c8d3a6f570',
  cursor: 'k3f9.1764000000000.1284',
  resumed: false,
  heartbeatSeconds: 15,
} as const;

/** The first messages of a stream, without the comments. */
export const streamExample = `id: ${exampleOpen.cursor}
event: stream.open
data: ${JSON.stringify(exampleOpen)}
retry: 3127

id: k3f9.1764000000312.1285
event: ${exampleEvent.type}
data: ${JSON.stringify(exampleEvent)}

`;

/** The widget in an event. It lacks the owner's e-mail, because anybody who has the stream's address can read it. */
const widgetSnapshotSchema = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    state: z.enum(widgetStates),
    labels: z.array(z.string()),
    owner: z.object({ userId: z.string().meta({ format: 'uuid' }), notify: z.boolean() }).nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    retiredAt: timestamp.nullable(),
    lastEventAt: timestamp.nullable(),
    version: z.int().min(1),
  })
  .meta({
    id: 'WidgetSnapshot',
    description: 'The widget as it was at `version`, without the e-mail address of its owner.',
  });

/** What a stream sends in `data:` of a widget event. */
export const widgetEventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().meta({
      format: 'uuid',
      description: 'The same id whenever the event is sent again. Use it to drop duplicates.',
    }),
    source: z.string().meta({
      format: 'uri-reference',
      description:
        '`/api/v1/widgets` for a widget created through this API; for a hook, the integration that it was posted to: `/api/v1/integrations/{id}`.',
    }),
    type: z.enum(widgetEventTypes),
    subject: z
      .string()
      .optional()
      .meta({ format: 'uuid', description: 'The id of the widget; left out if the hook had no `widgetId`.' }),
    time: z.string().meta({
      format: 'date-time',
      description:
        'When the event happened: for a hook, as the sender wrote it; for a widget created through this API, its `createdAt`.',
    }),
    datacontenttype: z.literal('application/json'),
    data: z.object({
      origin: z
        .enum(['api', 'hook'])
        .meta({ description: '`api`: the widget was created through this API. `hook`: the event came from a hook.' }),
      receivedAt: timestamp.meta({ description: 'When the service accepted the event.' }),
      late: z.boolean().meta({
        description:
          'Whether the event happened before the `lastEventAt` that the widget had when the event was applied.',
      }),
      stateChanged: z
        .boolean()
        .meta({ description: 'Whether the event changed the state of the widget. True for `origin: "api"`.' }),
      widget: widgetSnapshotSchema.nullable().meta({ description: 'Null if the hook does not name a known widget.' }),
      payload: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({ description: 'The content attached by the sender, as it was sent; null if there was none.' }),
    }),
  })
  .meta({
    id: 'WidgetEvent',
    description: 'One CloudEvents 1.0 object in the JSON event format.',
    examples: [exampleEvent],
  });

const streamOpenSchema = z
  .object({
    subscriptionId: z.string().nullable().meta({ format: 'uuid', description: 'Null for a personal stream.' }),
    cursor: position.meta({ description: 'The stream sends the events after this position.' }),
    resumed: z
      .boolean()
      .meta({ description: 'Whether the stream continues at the position that the client requested, without a gap.' }),
    heartbeatSeconds: z.number().meta({ description: 'The approximate interval of heartbeat comments, in seconds.' }),
  })
  .meta({ id: 'StreamOpen', examples: [exampleOpen] });

const streamGapSchema = z
  .object({
    requested: z.string().meta({ description: 'The text that the client sent as the position to resume from.' }),
    resumedFrom: position.meta({ description: 'The stream sends the events after this position instead.' }),
    reason: z.enum(['trimmed', 'epoch-changed', 'ahead-of-stream', 'malformed']).meta({
      description:
        '`trimmed`: events after the requested position are no longer in the event log. `epoch-changed`: the event log was started again after a loss. `ahead-of-stream`: the requested position is after the end of the log. `malformed`: the requested text is not a position. After `malformed` the stream begins at the end of the log, otherwise at the oldest event that is kept.',
    }),
  })
  .meta({ id: 'StreamGap' });

const closingReasons = Object.keys(closingRules) as ClosingReason[];

const streamClosingSchema = z
  .object({
    reason: z.enum(closingReasons).meta({
      description: closingReasons.map((reason) => `\`${reason}\`: ${closingRules[reason].meaning}.`).join(' '),
    }),
  })
  .meta({ id: 'StreamClosing' });

/** The description of the stream's operation. */
export const streamText = `
The response stays open and carries server-sent events. Everybody who has the address can read it, also from pages of other origins. In a browser, use \`new EventSource(address)\`.

Each widget event has an \`event:\` of \`widget.created\`, \`widget.updated\` or \`widget.retired\`, one CloudEvents object in \`data:\`, and the position to resume from in \`id:\`. After a broken connection, a browser resumes by itself. No event is lost; some may be sent again, with the same \`id\` in their CloudEvents object. If events after the requested position are no longer kept, \`stream.gap\` reports this before \`stream.open\`.

Events about the stream itself have names that begin with \`stream.\`. Ignore names that you do not know. The service sends a heartbeat comment about every 15 seconds, and closes each stream after about half an hour: connect again.

An unknown, expired or revoked token gives 404. If the stream is temporarily unavailable, the response is 200 with \`stream.closing\` as its only event, because any other status stops a browser's EventSource permanently.
`.trim();

/** All events that a stream can contain. It also contains comments. */
export const streamMessages: readonly DescribedEvent[] = [
  {
    names: widgetEventTypes,
    description: 'A widget was created through this API, or a sender posted a hook.',
    data: widgetEventSchema,
    hasId: true,
    hasRetry: false,
  },
  {
    names: ['stream.open'],
    description:
      'The first event of a stream, unless `stream.gap` comes before it, or `stream.closing` is the only event. Its `retry:` is random between 2 and 5 seconds.',
    data: streamOpenSchema,
    hasId: true,
    hasRetry: true,
  },
  {
    names: ['stream.gap'],
    description:
      'Sent before `stream.open` if the stream cannot continue at the requested position. `reason` says why. Read the widgets again (`GET /api/v1/widgets`).',
    data: streamGapSchema,
    hasId: true,
    hasRetry: false,
  },
  {
    names: ['stream.position'],
    description:
      'Sent at least once a minute while the filter drops every event, so that the position to resume from stays recent. For the same reason it may come right before `stream.closing`.',
    data: z.object({}).meta({ id: 'StreamPosition' }),
    hasId: true,
    hasRetry: false,
  },
  {
    names: ['stream.closing'],
    description:
      'The last event: the service closes the stream. Connect again after `retry:`, except after `revoked` and `expired`: the next response would be 404.',
    data: streamClosingSchema,
    hasId: false,
    hasRetry: true,
  },
];
