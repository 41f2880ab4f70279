import type { components } from '@widget-service/client/interface.ts';
import type { CommandDefinition } from '../command.ts';
import { makeListCommand } from '../lists.ts';
import type { Column } from '../output.ts';
import { readNumber } from '../parse-command-line.ts';

type Sample = components['schemas']['HookSample'];

const path = '/api/v1/integrations/{id}/samples';

const columns: readonly Column<Sample>[] = [
  { title: 'RECEIVED', text: ({ receivedAt }) => receivedAt },
  { title: 'CODE', text: ({ code }) => code },
  { title: 'STEP', text: ({ refusal }) => refusal.step },
  { title: 'REASON', text: ({ refusal }) => refusal.reason },
  { title: 'BYTES', text: ({ body }) => String(Buffer.byteLength(body)) },
];

const list = makeListCommand<Sample>({
  name: 'samples list',
  parameters: ['INTEGRATION'],
  summary: 'List the refused requests of a foreign sender that are kept. With --json, headers and bodies, too.',
  columns,
  async *read({ client }, { parameters: [id = ''] }) {
    const { items } = await client.api.GET(path, { params: { path: { id } } });
    yield* items;
  },
});

const keep: CommandDefinition = {
  name: 'samples keep',
  parameters: ['INTEGRATION'],
  summary: 'Keep refused requests of a foreign sender for a while. Then all are deleted.',
  options: { seconds: { value: 'SECONDS', text: 'For how long: 60 to 86400. Default: 3600.' } },
  async run({ client, output }, input) {
    const [id = ''] = input.parameters;
    const seconds = readNumber(input, 'seconds', 60);
    const body = seconds === undefined ? {} : { keepForSeconds: seconds };
    const kept = await client.api.PUT(path, { params: { path: { id } }, body });
    output.facts(kept, [['Kept until', kept.keptUntil ?? 'none']]);
  },
};

const remove: CommandDefinition = {
  name: 'samples delete',
  parameters: ['INTEGRATION'],
  summary: 'Delete these requests, and keep no more.',
  async run({ client, output }, input) {
    const [id = ''] = input.parameters;
    await client.api.DELETE(path, { params: { path: { id } } });
    output.note('Deleted. No more are kept.');
  },
};

export const sampleCommands = [list, keep, remove];
