import type { components } from '@widget-service/client/interface.ts';
import { readAllPages } from '@widget-service/client/requests/list-pages.ts';
import { changeEach } from '../change-each.ts';
import type { CommandDefinition } from '../command.ts';
import type { Column } from '../output.ts';
import { readNumber } from '../parse-command-line.ts';
import { takeFirst } from '../take-first.ts';

type QuarantinedText = components['schemas']['QuarantinedText'];

const columns: readonly Column<QuarantinedText>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'QUARANTINED', text: ({ quarantinedAt }) => quarantinedAt ?? '' },
  { title: 'REASON', text: ({ reason }) => reason ?? '' },
  { title: 'INTEGRATION', text: ({ integrationId }) => integrationId ?? '' },
  { title: 'BYTES', text: ({ sizeBytes }) => (sizeBytes === null ? '' : String(sizeBytes)) },
];

const list: CommandDefinition = {
  name: 'quarantine list',
  parameters: [],
  summary: 'List the texts of the hook queue that could not be processed, newest first.',
  options: { limit: { value: 'N', text: 'At most so many. Default: 50.' } },
  async run({ client, output }, input) {
    const limit = readNumber(input, 'limit', 1) ?? 50;
    const texts = readAllPages((page) =>
      client.api.GET('/api/v1/quarantine', { params: { query: { page, pageSize: 100 } } }),
    );
    output.table(await takeFirst(texts, limit), columns);
  },
};

const get: CommandDefinition = {
  name: 'quarantine get',
  parameters: ['ID'],
  summary: 'Show one of these texts, as a JSON string.',
  async run({ client, output }, input) {
    const [id = ''] = input.parameters;
    const found = await client.api.GET('/api/v1/quarantine/{id}', { params: { path: { id } } });
    output.facts(found, [
      ['Id', found.id],
      ['Quarantined', found.quarantinedAt ?? 'unknown'],
      ['Reason', found.reason ?? 'unknown'],
      ['Job', found.jobId ?? 'unknown'],
      ['Integration', found.integrationId ?? 'unknown'],
      // Foreign text: as a JSON string it cannot add lines.
      ['Text', JSON.stringify(found.text)],
    ]);
  },
};

const discard: CommandDefinition = {
  name: 'quarantine discard',
  parameters: ['ID…'],
  summary: 'Remove such texts for good.',
  run: ({ client, output }, { parameters: ids }) =>
    changeEach(output, ids, {
      nouns: 'texts',
      idMember: 'id',
      doneMember: 'discarded',
      doneText: 'discarded',
      change: (id) => client.api.DELETE('/api/v1/quarantine/{id}', { params: { path: { id } } }),
    }),
};

export const quarantineCommands = [list, get, discard];
