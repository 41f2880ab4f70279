import type { components } from '@widget-service/client/interface.ts';
import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { makeChangeCommand } from '../change-command.ts';
import type { CommandDefinition, CommandInput } from '../command.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { makeListCommand, readNewestFirst } from '../lists.ts';
import type { Column } from '../output.ts';

type Delivery = components['schemas']['Delivery'];
type State = Delivery['state'];

const states = ['received', 'published', 'dead', 'discarded'] as const;
const stateStyles = { received: 'yellow', published: 'green', dead: 'red', discarded: 'dim' } as const;

const columns: readonly Column<Delivery>[] = [
  { title: 'EVENT', text: ({ eventId }) => eventId },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'RECEIVED', text: ({ receivedAt }) => receivedAt },
  { title: 'WIDGET', text: ({ widgetId }) => widgetId ?? '' },
  { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts) },
  { title: 'DUPLICATES', text: ({ duplicates }) => String(duplicates) },
  { title: 'REASON', text: ({ reason }) => reason ?? '' },
];

const list = makeListCommand<Delivery>({
  name: 'deliveries list',
  parameters: ['INTEGRATION'],
  summary: 'List the hooks that an integration has delivered, newest first.',
  options: {
    state: { value: 'STATE', choices: states, text: 'Only deliveries in this state.' },
    from: { value: 'TIME', text: 'Only those received at this time or later, for example 2026-03-01T10:00:00Z.' },
    to: { value: 'TIME', text: 'Only those received before this time.' },
    'webhook-id': { value: 'ID', text: 'Only the hook that was sent with this webhook-id.' },
  },
  columns,
  read: (context, input) => readDeliveries(context, input.parameters[0] ?? '', readFilter(input)),
});

const get: CommandDefinition = {
  name: 'deliveries get',
  parameters: ['INTEGRATION', 'EVENT'],
  summary: 'Show one delivery with its payload. With --json, `hooks replay --as-new` reads it.',
  async run({ client, output }, input) {
    const [id = '', eventId = ''] = input.parameters;
    // As text, because a number of the payload may have more digits than a number of JavaScript.
    const text = await client.api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', {
      params: { path: { id, eventId } },
      parseAs: 'text',
    });
    const delivery = parseExactJson(text) as components['schemas']['DeliveryWithPayload'];
    output.facts(delivery, [
      ['Event', delivery.eventId],
      ['State', delivery.state],
      ['Reason', delivery.reason ?? 'none'],
      ['Kind', delivery.kind],
      ['Widget', delivery.widgetId ?? 'none'],
      ['Occurred', delivery.occurredAt],
      ['Received', delivery.receivedAt],
      ['Published', delivery.publishedAt ?? 'no'],
      ['Effect', describeEffect(delivery.effect)],
      ['Position', delivery.position ?? 'none'],
      ['Attempts', String(delivery.attempts)],
      ['Duplicates', String(delivery.duplicates)],
      ['Payload', formatExactJson(delivery.payload)],
    ]);
  },
};

/** What the commands that change dead deliveries have in common. */
const ofDeadDeliveries = {
  parameters: ['INTEGRATION', 'EVENT…?'],
  options: { 'all-dead': { text: 'All dead deliveries of the integration.' } },
  nouns: 'deliveries',
  idMember: 'eventId',
  listIds(context: CommandContext, input: CommandInput): readonly string[] | Promise<string[]> {
    const [id = '', ...given] = input.parameters;
    if (given.length > 0 === input.has('all-dead')) throw new UsageError('Name events, or say --all-dead.');
    return input.has('all-dead') ? listDead(context, id) : given;
  },
};

const redrive = makeChangeCommand({
  ...ofDeadDeliveries,
  name: 'deliveries redrive',
  summary: 'Process dead deliveries again.',
  doneMember: 'redriven',
  doneText: 'accepted',
  change: ({ client }, eventId, { parameters: [id = ''] }) =>
    client.api.POST('/api/v1/integrations/{id}/deliveries/{eventId}/redrive', { params: { path: { id, eventId } } }),
});

const discard = makeChangeCommand({
  ...ofDeadDeliveries,
  name: 'deliveries discard',
  summary: 'Erase the payloads of dead deliveries for good. They can never be redriven then.',
  doneMember: 'discarded',
  change: ({ client }, eventId, { parameters: [id = ''] }) =>
    client.api.DELETE('/api/v1/integrations/{id}/deliveries/{eventId}', { params: { path: { id, eventId } } }),
});

/** Reads all of them first: a delivery that is no longer dead leaves the list, which would shift the pages. */
async function listDead(context: CommandContext, id: string): Promise<string[]> {
  const eventIds: string[] = [];
  for await (const { eventId } of readDeliveries(context, id, { state: 'dead' })) eventIds.push(eventId);
  return eventIds;
}

interface DeliveryFilter {
  readonly state?: State;
  readonly from?: string;
  readonly to?: string;
  readonly webhookId?: string;
}

function readDeliveries({ client }: CommandContext, id: string, { to, ...filter }: DeliveryFilter) {
  return readNewestFirst<Delivery>(
    {
      readPage: (page, before) => {
        const query = { page, pageSize: 100, ...filter, ...(before === undefined ? {} : { to: before }) };
        return client.api.GET('/api/v1/integrations/{id}/deliveries', { params: { path: { id }, query } });
      },
      getId: ({ eventId }) => eventId,
      getTime: ({ receivedAt }) => receivedAt,
    },
    to,
  );
}

function readFilter(input: CommandInput): DeliveryFilter {
  const state = states.find((name) => name === input.value('state'));
  const [from, to, webhookId] = [input.value('from'), input.value('to'), input.value('webhook-id')];
  return {
    ...(state === undefined ? {} : { state }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(webhookId === undefined ? {} : { webhookId }),
  };
}

function describeEffect(effect: Delivery['effect']): string {
  if (effect === null) return 'none so far';
  return `version ${effect.version}, ${effect.state}${effect.late ? ', late' : ''}`;
}

export const deliveryCommands = [list, get, redrive, discard];
