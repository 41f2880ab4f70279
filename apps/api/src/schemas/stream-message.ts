import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { widgetEventTypes } from '@widget-service/shared/domain/widget-event.ts';
import { z } from 'zod';
import type { ClosingReason } from '../stream/frame.ts';
import type { DescribedEvent } from './problem.ts';
import { timestamp } from './text.ts';

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

/** The first blocks of a stream. */
export const streamExample = `id: ${exampleOpen.cursor}
event: stream.open
data: ${JSON.stringify(exampleOpen)}
retry: 3127

id: k3f9.1764000000312.1285
event: ${exampleEvent.type}
data: ${JSON.stringify(exampleEvent)}

`;

/** As a stream tells it: without the owner's e-mail, because a stream's address is a secret that whoever has it may use. */
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
    description: 'The widget as it was at `version`, without its owner’s e-mail address.',
  });

const widgetEventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().meta({ format: 'uuid', description: 'The same at every repetition: drop what you have seen.' }),
    source: z.string().meta({
      format: 'uri-reference',
      description: '`/api/v1/widgets`, or the integration whose hook it was: `/api/v1/integrations/{id}`.',
    }),
    type: z.enum(widgetEventTypes),
    subject: z
      .string()
      .optional()
      .meta({ format: 'uuid', description: 'The id of the widget; left out where a hook named none.' }),
    time: z.string().meta({ format: 'date-time', description: 'When it happened, as the sender said.' }),
    datacontenttype: z.literal('application/json'),
    data: z.object({
      origin: z
        .enum(['api', 'hook'])
        .meta({ description: 'Whether the widget was created here, or a hook told of it.' }),
      receivedAt: timestamp.meta({ description: 'When the service accepted it.' }),
      late: z.boolean().meta({ description: 'Whether it happened before the last event that the widget had by then.' }),
      stateChanged: z.boolean().meta({ description: 'Whether the widget’s state is another one since.' }),
      widget: widgetSnapshotSchema.nullable().meta({ description: 'Null where the hook concerns no known widget.' }),
      payload: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({ description: 'What the sender attached, as it was sent.' }),
    }),
  })
  .meta({
    id: 'WidgetEvent',
    description: 'One CloudEvents 1.0 object in the JSON event format.',
    examples: [exampleEvent],
  });

const streamOpenSchema = z
  .object({
    subscriptionId: z
      .string()
      .nullable()
      .meta({ format: 'uuid', description: 'Null for a stream that belongs to a session.' }),
    cursor: position.meta({ description: 'Where the stream begins.' }),
    resumed: z.boolean().meta({ description: 'Whether it goes on where the client asked for, without a gap.' }),
    heartbeatSeconds: z.number().meta({ description: 'A comment comes at least about this often.' }),
  })
  .meta({ id: 'StreamOpen', examples: [exampleOpen] });

const streamGapSchema = z
  .object({
    requested: z.string().meta({ description: 'The position that was asked for.' }),
    resumedFrom: position.meta({ description: 'Where the stream begins instead.' }),
    reason: z.enum(['trimmed', 'epoch-changed', 'ahead-of-stream', 'malformed']),
  })
  .meta({ id: 'StreamGap' });

const closingReasons = [
  'lifetime',
  'draining',
  'slow',
  'overloaded',
  'too-many-connections',
  'unavailable',
  'resync',
  'revoked',
  'expired',
] as const satisfies readonly ClosingReason[];

const streamClosingSchema = z
  .object({
    reason: z.enum(closingReasons),
  })
  .meta({ id: 'StreamClosing' });

/** What a stream's operation says of itself. */
export const streamText = `
The response stays open and carries server-sent events; whoever has the address may read it, from a page of any origin. In a browser, \`new EventSource(address)\` is all it takes.

Every widget event has an \`event:\` of \`widget.created\`, \`widget.updated\` or \`widget.retired\`, one CloudEvents object in \`data:\`, and the position to resume from in \`id:\`. After a broken connection a browser resumes by itself: no event is left out, some may come again under the same \`id\` of their CloudEvents object. Where events are no longer kept, \`stream.gap\` says so before \`stream.open\`. Everything else the stream tells of itself begins with \`stream.\`; ignore names you do not know. A comment comes every 15 seconds or so, and the service ends each stream after about half an hour: connect again.

A token that is unknown, expired or revoked is answered with 404. Where the stream cannot be served just now, the answer is 200 with \`stream.closing\` as its only event, because any other status stops a browser's EventSource for good.
`.trim();

/** Everything a stream can carry besides comments. */
export const streamMessages: readonly DescribedEvent[] = [
  {
    names: widgetEventTypes,
    description: 'A widget was created, or an integration told of one.',
    data: widgetEventSchema,
    hasId: true,
    hasRetry: false,
  },
  {
    names: ['stream.open'],
    description: 'The first event of every stream but for a gap. `retry:` comes with it, random within 2 to 5 seconds.',
    data: streamOpenSchema,
    hasId: true,
    hasRetry: true,
  },
  {
    names: ['stream.gap'],
    description:
      'Before `stream.open`, when events after the position that was asked for are no longer there, or it is none: read the list again.',
    data: streamGapSchema,
    hasId: true,
    hasRetry: false,
  },
  {
    names: ['stream.position'],
    description:
      'At least once a minute while a filter lets nothing through, so that the position to resume from stays young.',
    data: z.object({}).meta({ id: 'StreamPosition' }),
    hasId: true,
    hasRetry: false,
  },
  {
    names: ['stream.closing'],
    description:
      'The last event: the service ends the stream. Connect again after `retry:`, except after `revoked` and `expired`: the next answer would be 404.',
    data: streamClosingSchema,
    hasId: false,
    hasRetry: true,
  },
];
