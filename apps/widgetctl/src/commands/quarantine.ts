import type { components } from '@widget-service/client/interface.ts';
import { readAllPages } from '@widget-service/client/requests/list-pages.ts';
import { makeChangeCommand } from '../change-command.ts';
import type { CommandDefinition } from '../command.ts';
import { makeListCommand } from '../lists.ts';
import type { Column } from '../output.ts';

type QuarantinedText = components['schemas']['QuarantinedText'];

const columns: readonly Column<QuarantinedText>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'QUARANTINED', text: ({ quarantinedAt }) => quarantinedAt },
  { title: 'REASON', text: ({ reason }) => reason },
  { title: 'INTEGRATION', text: ({ integrationId }) => integrationId ?? '' },
  { title: 'BYTES', text: ({ sizeBytes }) => String(sizeBytes) },
];

const list = makeListCommand<QuarantinedText>({
  name: 'quarantine list',
  parameters: [],
  summary: 'List the texts of the hook queue that could not be processed, newest first.',
  columns,
  read: ({ client }) =>
    readAllPages((page) => client.api.GET('/api/v1/quarantine', { params: { query: { page, pageSize: 100 } } })),
});

const get: CommandDefinition = {
  name: 'quarantine get',
  parameters: ['ID'],
  summary: 'Show one of these texts, as a JSON string.',
  async run({ client, output }, input) {
    const [id = ''] = input.parameters;
    const found = await client.api.GET('/api/v1/quarantine/{id}', { params: { path: { id } } });
    output.facts(found, [
      ['Id', found.id],
      ['Quarantined', found.quarantinedAt],
      ['Reason', found.reason],
      ['Job', found.jobId],
      ['Integration', found.integrationId ?? 'unknown'],
      // Foreign text: as a JSON string it cannot add lines.
      ['Text', JSON.stringify(found.text)],
    ]);
  },
};

const discard = makeChangeCommand({
  name: 'quarantine discard',
  parameters: ['ID…'],
  summary: 'Remove such texts for good.',
  nouns: 'texts',
  idMember: 'id',
  doneMember: 'discarded',
  listIds: (_, { parameters }) => parameters,
  change: ({ client }, id) => client.api.DELETE('/api/v1/quarantine/{id}', { params: { path: { id } } }),
});

export const quarantineCommands = [list, get, discard];
