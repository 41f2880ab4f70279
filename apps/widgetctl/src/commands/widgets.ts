import type { components } from '@widget-service/client/interface.ts';
import type { CommandDefinition } from '../command.ts';
import { UsageError } from '../failures.ts';
import { makeListCommand, readNewestFirst } from '../lists.ts';
import type { Column } from '../output.ts';
import { readNumber } from '../parse-command-line.ts';

type Widget = components['schemas']['Widget'];

const columns: readonly Column<Widget>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => (state === 'active' ? 'green' : 'dim') },
  { title: 'VERSION', text: ({ version }) => String(version) },
  { title: 'CREATED', text: ({ createdAt }) => createdAt },
  { title: 'NAME', text: ({ name }) => name, style: () => 'bold' },
  { title: 'LABELS', text: ({ labels }) => labels.join(', ') },
];

const states = ['active', 'retired'] as const;

const list: CommandDefinition = {
  name: 'widgets list',
  summary: 'List widgets, newest first.',
  options: {
    state: { value: 'STATE', choices: states, text: 'Only widgets in this state.' },
    limit: { value: 'N', text: 'At most so many. Default: 50.' },
    all: { text: 'All of them.' },
  },
  async run({ client, output }, input) {
    const state = states.find((name) => name === input.value('state'));
    const limit = input.has('all') ? Number.POSITIVE_INFINITY : (readNumber(input, 'limit', 1) ?? 50);
    const found: Widget[] = [];
    let isCut = false;
    const pageSize = Math.min(limit + 1, 200);
    for await (const widget of client.listWidgets({ ...(state === undefined ? {} : { state }), pageSize })) {
      isCut = found.length >= limit;
      if (isCut) break;
      found.push(widget);
    }
    output.table(found, columns);
    if (isCut) output.note(`There are more than ${limit}: use --limit or --all.`);
  },
};

const create: CommandDefinition = {
  name: 'widgets create',
  parameters: ['NAME'],
  summary: 'Create a widget. With a provision token in WIDGETCTL_TOKEN, no session is needed.',
  options: {
    label: { value: 'LABEL', isRepeated: true, text: 'A label of the widget.' },
    'idempotency-key': {
      value: 'KEY',
      text: 'Create at most one widget with this key, however often the command runs. Default: a new key.',
    },
  },
  async run(context, input) {
    const [name = ''] = input.parameters;
    const idempotencyKey = input.value('idempotency-key');
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    const client = context.openClient(await context.readSecret('WIDGETCTL_TOKEN'));
    const widget = await client.createWidget({ name, labels: [...input.values('label')] }, options);
    context.output.result(widget, describeWidget);
  },
};

/** `01a2…  lamp (active, version 3)`. */
function describeWidget({ id, name, state, version }: Widget): string {
  return `${id}  ${name} (${state}, version ${version})`;
}

const get: CommandDefinition = {
  name: 'widgets get',
  parameters: ['ID'],
  summary: 'Show one widget.',
  async run({ client, output }, input) {
    const [id = ''] = input.parameters;
    if (id === '') throw new UsageError('widgets get: ID is empty.');
    const widget = await client.getWidget(id);
    output.facts(widget, [
      ['Id', widget.id],
      ['Name', widget.name],
      ['State', widget.state],
      ['Version', String(widget.version)],
      ['Labels', widget.labels.join(', ') || 'none'],
      ['Owner', widget.owner === null ? 'none' : widget.owner.email],
      ['Created', widget.createdAt],
      ['Changed', widget.updatedAt],
      ['Last event', widget.lastEventAt ?? 'none'],
      ['Retired', widget.retiredAt ?? 'no'],
    ]);
  },
};

type Delivery = components['schemas']['Delivery'];

const historyColumns: readonly Column<Delivery>[] = [
  { title: 'VERSION', text: ({ effect }) => (effect === null ? '' : String(effect.version)) },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'STATE AFTER', text: ({ effect }) => effect?.state ?? '' },
  { title: 'LATE', text: ({ effect }) => (effect?.late ? 'late' : '') },
  { title: 'OCCURRED', text: ({ occurredAt }) => occurredAt },
  { title: 'DELIVERY', text: ({ state }) => state, style: ({ state }) => (state === 'dead' ? 'red' : 'dim') },
  { title: 'INTEGRATION', text: ({ integrationId }) => integrationId },
  { title: 'EVENT', text: ({ eventId }) => eventId },
];

const history = makeListCommand<Delivery>({
  name: 'widgets history',
  parameters: ['ID'],
  summary: 'List the hooks that name a widget, and what each changed, newest first.',
  columns: historyColumns,
  read: ({ client }, { parameters: [id = ''] }, limit) =>
    readNewestFirst({
      readPage: (page, before) => {
        const query = { page, pageSize: Math.min(limit, 100), ...(before === undefined ? {} : { to: before }) };
        return client.api.GET('/api/v1/widgets/{id}/deliveries', { params: { path: { id }, query } });
      },
      getId: ({ eventId }) => eventId,
      getTime: ({ receivedAt }) => receivedAt,
    }),
});

export const widgetCommands = [list, create, get, history];
