import type { components } from '@widget-service/client/interface.ts';
import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { readAllPages } from '@widget-service/client/requests/read-all-pages.ts';
import type { CommandDefinition, CommandInput } from '../command.ts';
import type { CommandContext } from '../command-context.ts';
import { describeFailure } from '../describe-failure.ts';
import { PartlyFailedError, UsageError } from '../exit-codes.ts';
import type { Column } from '../output.ts';
import { readNumber } from '../parse-command-line.ts';

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

const list: CommandDefinition = {
  name: 'deliveries list',
  parameters: ['INTEGRATION'],
  summary: 'List the hooks that an integration has delivered, newest first.',
  options: {
    state: { value: 'STATE', choices: states, text: 'Only deliveries in this state.' },
    from: { value: 'TIME', text: 'Only those received at this time or later, for example 2026-03-01T10:00:00Z.' },
    to: { value: 'TIME', text: 'Only those received before this time.' },
    limit: { value: 'N', text: 'At most so many. Default: 50.' },
  },
  async run(context, input) {
    const [id = ''] = input.parameters;
    const limit = readNumber(input, 'limit', 1) ?? 50;
    const found: Delivery[] = [];
    for await (const delivery of readDeliveries(context, id, readFilter(input))) {
      if (found.length >= limit) break;
      found.push(delivery);
    }
    context.output.table(found, columns);
  },
};

const get: CommandDefinition = {
  name: 'deliveries get',
  parameters: ['INTEGRATION', 'EVENT'],
  summary: 'Show one delivery with its payload. With --json, `hooks replay` reads it.',
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

const redrive: CommandDefinition = {
  name: 'deliveries redrive',
  parameters: ['INTEGRATION', 'EVENT…?'],
  summary: 'Process dead deliveries again.',
  options: { 'all-dead': { text: 'All dead deliveries of the integration.' } },
  run: (context, input) => changeEach(context, input, redriveOne),
};

const discard: CommandDefinition = {
  name: 'deliveries discard',
  parameters: ['INTEGRATION', 'EVENT…?'],
  summary: 'Erase the payloads of dead deliveries for good. They can never be redriven then.',
  options: { 'all-dead': { text: 'All dead deliveries of the integration.' } },
  run: (context, input) => changeEach(context, input, discardOne),
};

type ChangeOne = (context: CommandContext, id: string, eventId: string) => Promise<boolean>;

async function changeEach(context: CommandContext, input: CommandInput, changeOne: ChangeOne): Promise<void> {
  const [id = '', ...given] = input.parameters;
  if (given.length > 0 === input.has('all-dead')) throw new UsageError('Name events, or say --all-dead.');
  const eventIds = input.has('all-dead') ? await listDead(context, id) : given;
  let failed = 0;
  for (const eventId of eventIds) failed += (await changeOne(context, id, eventId)) ? 0 : 1;
  context.output.note(`${eventIds.length - failed} accepted, ${failed} refused.`);
  if (failed > 0) throw new PartlyFailedError(`${failed} of ${eventIds.length} deliveries were refused.`);
}

/** Reads all of them first: a delivery that is no longer dead leaves the list, which would shift the pages. */
async function listDead(context: CommandContext, id: string): Promise<string[]> {
  const eventIds: string[] = [];
  for await (const { eventId } of readDeliveries(context, id, { state: 'dead' })) eventIds.push(eventId);
  return eventIds;
}

async function redriveOne({ client, output }: CommandContext, id: string, eventId: string) {
  try {
    const path = { id, eventId };
    await client.api.POST('/api/v1/integrations/{id}/deliveries/{eventId}/redrive', { params: { path } });
    output.result({ eventId, redriven: true }, () => `${eventId}: accepted`);
    return true;
  } catch (error) {
    const reason = describeFailure(error).join(' ');
    output.result({ eventId, redriven: false, error: reason }, () => `${eventId}: ${reason}`);
    return false;
  }
}

async function discardOne({ client, output }: CommandContext, id: string, eventId: string) {
  try {
    const path = { id, eventId };
    await client.api.DELETE('/api/v1/integrations/{id}/deliveries/{eventId}', { params: { path } });
    output.result({ eventId, discarded: true }, () => `${eventId}: discarded`);
    return true;
  } catch (error) {
    const reason = describeFailure(error).join(' ');
    output.result({ eventId, discarded: false, error: reason }, () => `${eventId}: ${reason}`);
    return false;
  }
}

interface DeliveryFilter {
  readonly state?: State;
  readonly from?: string;
  readonly to?: string;
}

function readDeliveries({ client }: CommandContext, id: string, filter: DeliveryFilter) {
  return readAllPages((page) =>
    client.api.GET('/api/v1/integrations/{id}/deliveries', {
      params: { path: { id }, query: { page, pageSize: 100, ...filter } },
    }),
  );
}

function readFilter(input: CommandInput): DeliveryFilter {
  const state = states.find((name) => name === input.text('state'));
  const [from, to] = [input.text('from'), input.text('to')];
  return {
    ...(state === undefined ? {} : { state }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function describeEffect(effect: Delivery['effect']): string {
  if (effect === null) return 'none, or not yet';
  return `version ${effect.version}, ${effect.state}${effect.late ? ', late' : ''}`;
}

export const deliveryCommands = [list, get, redrive, discard];
