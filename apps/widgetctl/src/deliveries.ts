import type { components } from '@widget-service/client/interface.ts';
import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { type Command, makeCommand } from './command-line.ts';
import type { Context } from './context.ts';
import { UsageError } from './failures.ts';
import { call, makeCall, makeList, type Operation, readList, Tally } from './operations.ts';

type Schemas = components['schemas'];
type Delivery = Schemas['Delivery'];

const deliveries = '/api/v1/integrations/{id}/deliveries';

export const deliveryCommands: readonly Command[] = [
  makeList<Delivery>(
    'deliveries list INTEGRATION',
    'List the hooks that an integration has delivered, newest first.',
    `GET ${deliveries}`,
    {
      options: {
        'state STATE': {
          choices: ['received', 'published', 'dead', 'discarded'],
          member: 'state',
          text: 'Only deliveries in this state.',
        },
        'from TIME': {
          member: 'from',
          text: 'Only those received at this time or later, for example 2026-03-01T10:00:00Z.',
        },
        'to TIME': { member: 'to', text: 'Only those received before this time.' },
        'webhook-id ID': { member: 'webhookId', text: 'Only the hook that was sent with this webhook-id.' },
      },
      paging: 'to',
      hasLimit: true,
      columns: ['eventId', 'state', 'kind', 'receivedAt', 'widgetId', 'attempts', 'duplicates', 'reason'],
    },
  ),
  makeCall<Schemas['DeliveryWithPayload']>(
    'deliveries get INTEGRATION EVENT',
    'Show one delivery with its payload. With --json, `hooks replay --as-new` reads it.',
    `GET ${deliveries}/{eventId}`,
    {
      facts: ({ effect, payload }) => [
        ...(['eventId', 'state', 'reason', 'kind', 'widgetId', 'occurredAt', 'receivedAt', 'publishedAt'] as const),
        { title: 'Effect', text: () => (effect === null ? 'none so far' : describeEffect(effect)) },
        ...(['position', 'attempts', 'duplicates'] as const),
        { title: 'Payload', text: () => formatExactJson(payload) },
      ],
    },
  ),
  makeChange(
    'deliveries redrive INTEGRATION EVENT…?',
    'Process dead deliveries again.',
    `POST ${deliveries}/{eventId}/redrive`,
    // The line says accepted: the delivery is only in the queue again.
    { member: 'eventId', done: 'redriven', text: 'accepted' },
  ),
  makeChange(
    'deliveries discard INTEGRATION EVENT…?',
    'Erase the payloads of dead deliveries for good. They can never be redriven then.',
    `DELETE ${deliveries}/{eventId}`,
    { member: 'eventId', done: 'discarded' },
  ),
];

function describeEffect({ version, state, late }: NonNullable<Delivery['effect']>): string {
  return `version ${version}, ${state}${late ? ', late' : ''}`;
}

export const quarantineCommands: readonly Command[] = [
  makeList<Schemas['QuarantinedText']>(
    'quarantine list',
    'List the texts of the hook queue that could not be processed, newest first.',
    'GET /api/v1/quarantine',
    { paging: 'page', hasLimit: true, columns: ['id', 'quarantinedAt', 'reason', 'integrationId', 'sizeBytes'] },
  ),
  makeCall<Schemas['QuarantinedTextWithText']>(
    'quarantine get ID',
    'Show one of these texts, as a JSON string.',
    'GET /api/v1/quarantine/{id}',
    {
      facts: ({ integrationId, text }) => [
        ...(['id', 'quarantinedAt', 'reason', 'jobId'] as const),
        { title: 'Integration', text: () => integrationId ?? 'unknown' },
        // Foreign text: as a JSON string it cannot add lines.
        { title: 'Text', text: () => JSON.stringify(text) },
      ],
    },
  ),
  makeChange('quarantine discard ID…', 'Remove such texts for good.', 'DELETE /api/v1/quarantine/{id}', {
    member: 'id',
    done: 'discarded',
  }),
];

interface Change {
  /** The member of a JSON result that holds the id. */
  readonly member: 'id' | 'eventId';
  /** The member that is true if the thing was changed. */
  readonly done: string;
  /** What a line says of a thing that was changed. Default: as `done`. */
  readonly text?: string;
}

/** Makes a command that changes one thing after the other. A refusal does not stop the others. */
function makeChange(syntax: string, summary: string, operation: Operation, change: Change): Command {
  const { member, done, text = done } = change;
  const ofDeliveries = member === 'eventId';
  const options = ofDeliveries ? { 'all-dead': 'All dead deliveries of the integration.' } : {};
  return makeCommand(syntax, summary, options, async (context, input) => {
    const before = ofDeliveries ? input.parameters.slice(0, 1) : [];
    const ids = input.parameters.slice(before.length);
    const hasIds = ids.length > 0;
    if (ofDeliveries && hasIds === input.has('all-dead')) throw new UsageError('Name events, or say --all-dead.');
    if (input.has('all-dead')) ids.push(...(await listDead(context, before)));
    const tally = new Tally(context.output);
    for (const id of ids) {
      try {
        await call(context, { operation, parameters: [...before, id] });
        tally.accept({ [member]: id, [done]: true }, `${id}: ${text}`);
      } catch (error) {
        tally.refuse({ [member]: id, [done]: false }, id, error);
      }
    }
    tally.end(ofDeliveries ? 'deliveries' : 'texts');
  });
}

/** Reads all of them first: a delivery that is no longer dead leaves the list, which would shift the pages. */
async function listDead(context: Context, parameters: readonly string[]): Promise<string[]> {
  const list = { operation: `GET ${deliveries}`, parameters, paging: 'to', query: { state: 'dead' } } as const;
  const ids: string[] = [];
  for await (const { eventId } of readList<Delivery>(context, list)) ids.push(eventId);
  return ids;
}
