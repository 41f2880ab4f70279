import type { components } from '@widget-service/client/interface.ts';
import type { CommandDefinition } from '../command.ts';
import type { CommandContext } from '../command-context.ts';
import { readNewestFirst, takeFirst } from '../lists.ts';
import type { Column } from '../output.ts';
import { readNumber } from '../parse-command-line.ts';
import { readSource, sourceOptions } from '../source-options.ts';

type Schemas = components['schemas'];
type Grant = Schemas['Subscription'] | Schemas['Integration'] | Schemas['ProvisionToken'];

/** The three kinds of access that a token gives. */
const kinds = [
  { word: 'subscriptions', path: '/api/v1/subscriptions', one: 'a subscription, whose URL opens a stream' },
  { word: 'integrations', path: '/api/v1/integrations', one: 'an integration, whose URL accepts hooks' },
  { word: 'tokens', path: '/api/v1/provision-tokens', one: 'a provision token, which creates widgets' },
] as const;
type Kind = (typeof kinds)[number];

const columns: readonly Column<Grant>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'NAME', text: ({ name }) => name, style: () => 'bold' },
  { title: 'CREATED', text: ({ createdAt }) => createdAt },
  { title: 'EXPIRES', text: ({ expiresAt }) => expiresAt ?? 'never' },
  { title: 'LAST USED', text: (grant) => readLastUsed(grant) ?? 'never' },
];

function readLastUsed(grant: Grant): string | null {
  if ('lastConnectedAt' in grant) return grant.lastConnectedAt;
  return 'lastReceivedAt' in grant ? grant.lastReceivedAt : grant.lastUsedAt;
}

/** Shows what only this response has. */
function showSecrets(
  { output }: CommandContext,
  issued: { id: string; name: string; token: string; url?: string; signingSecret?: string },
): void {
  output.facts(issued, [
    ['Id', issued.id],
    ['Name', issued.name],
    ...(issued.url === undefined ? ([['Token', issued.token]] as const) : ([['URL', issued.url]] as const)),
    ...(issued.signingSecret === undefined ? [] : ([['Signing secret', issued.signingSecret]] as const)),
  ]);
  output.note('Keep it now: it is a secret, and the service does not show it again.');
}

function makeCommands({ word, path, one }: Kind): CommandDefinition[] {
  const signed = { signed: { text: 'Hooks need a signature. Shows the signing secret.' } };
  const expires = { value: 'TIME', text: 'When it expires, in UTC. Default: never.' };
  const list: CommandDefinition = {
    name: `${word} list`,
    summary: `List ${word}.`,
    async run({ client, output }) {
      const grants = readNewestFirst<Grant>({
        readPage: (page, before) => {
          const query = { page, pageSize: 100, ...(before === undefined ? {} : { createdBefore: before }) };
          return client.api.GET(path, { params: { query } });
        },
        getId: ({ id }) => id,
        getTime: ({ createdAt }) => createdAt,
      });
      output.table(await takeFirst(grants, Number.POSITIVE_INFINITY), columns);
    },
  };
  const create: CommandDefinition = {
    name: `${word} create`,
    parameters: ['NAME'],
    summary: `Make ${one}.`,
    options: { expires, ...(word === 'integrations' ? { ...sourceOptions, ...signed } : {}) },
    async run(context, input) {
      const [name = ''] = input.parameters;
      const expiresAt = input.value('expires');
      const source = word === 'integrations' ? await readSource(context, input) : undefined;
      const body = {
        name,
        ...(expiresAt === undefined ? {} : { expiresAt }),
        ...(source === undefined ? {} : { source }),
        ...(input.has('signed') ? { signature: 'standard-webhooks' as const } : {}),
      };
      showSecrets(context, await context.client.api.POST(path, { body }));
    },
  };
  const rotate: CommandDefinition = {
    name: `${word} rotate`,
    parameters: ['ID'],
    summary: `Replace the secret. The old one stays valid for a while.${word === 'integrations' ? ' A foreign sender needs WIDGETCTL_SOURCE_SECRETS.' : ''}`,
    options: { overlap: { value: 'SECONDS', text: 'How long the old secret stays valid. Default: 300.' } },
    async run(context, input) {
      const [id = ''] = input.parameters;
      const overlapSeconds = readNumber(input, 'overlap', 0);
      const secrets = word === 'integrations' ? await context.readSecretLines('WIDGETCTL_SOURCE_SECRETS') : [];
      const body = {
        ...(overlapSeconds === undefined ? {} : { overlapSeconds }),
        ...(secrets.length === 0 ? {} : { secrets: [...secrets] }),
      };
      showSecrets(context, await context.client.api.POST(`${path}/{id}/rotate`, { params: { path: { id } }, body }));
    },
  };
  const revoke: CommandDefinition = {
    name: `${word} revoke`,
    parameters: ['ID'],
    summary: `Revoke it for good, on every pod.${word === 'subscriptions' ? ' Its open streams end.' : ''}`,
    async run({ client, output }, input) {
      const [id = ''] = input.parameters;
      await client.api.DELETE(`${path}/{id}`, { params: { path: { id } } });
      output.note('Revoked.');
    },
  };
  const endPrevious: CommandDefinition = {
    name: `${word} end-previous`,
    parameters: ['ID'],
    summary: 'End the secret that the last rotation replaced, before its time.',
    async run({ client, output }, input) {
      const [id = ''] = input.parameters;
      await client.api.DELETE(`${path}/{id}/previous-token`, { params: { path: { id } } });
      output.note('Ended.');
    },
  };
  return [list, create, rotate, endPrevious, revoke];
}

export const grantCommands = kinds.flatMap(makeCommands);
