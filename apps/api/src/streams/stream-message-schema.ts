import { widgetEventTypes } from '@widget-service/shared/domain/event-kind.ts';
import { z } from 'zod';
import type { DescribedEvent } from '../schemas/problem.ts';
import { exampleWidgetEvent, widgetEventSchema } from '../schemas/widget.ts';
import { closingReasons, closingRules } from './fan-out/closing-rules.ts';

const position = z.string().meta({ examples: ['k3f9.1764000000000.1284'] });

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
event: ${exampleWidgetEvent.type}
data: ${JSON.stringify(exampleWidgetEvent)}

`;

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
