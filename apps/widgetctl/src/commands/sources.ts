import type { components } from '@widget-service/client/interface.ts';
import type { CommandDefinition, CommandInput } from '../command.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../failures.ts';
import { readFileExactly } from '../read-file.ts';
import { readJsonFile, readSource, sourceOptions } from '../source-options.ts';

type Schemas = components['schemas'];

const preview: CommandDefinition = {
  name: 'integrations preview',
  parameters: ['FILE', 'ID?'],
  summary: 'Show what becomes of a request of a foreign sender: FILE, or - for the standard input, is its body.',
  options: {
    header: {
      value: 'HEADER',
      isRepeated: true,
      text: 'A header of the request, as NAME: VALUE. Those with a secret: WIDGETCTL_HEADERS, one a line; or NAME alone.',
    },
    ...sourceOptions,
  },
  async run(context, input) {
    const [file = '', id] = input.parameters;
    const url = await context.readSecret('WIDGETCTL_HOOK_URL');
    const request = {
      headers: readHeaders([...input.values('header'), ...(await context.readSecretLines('WIDGETCTL_HEADERS'))]),
      body: file === '-' ? await context.readInput() : await readFileExactly(file),
      ...(url === undefined ? {} : { url }),
    };
    showPreview(context, await postPreview(context, input, id, request));
  },
};

async function postPreview(
  context: CommandContext,
  input: CommandInput,
  id: string | undefined,
  request: Schemas['NewHookPreview'],
): Promise<Schemas['HookPreview']> {
  const source = await readSource(context, input);
  const { api } = context.client;
  if (id !== undefined) {
    if (source !== undefined) throw new UsageError('Give an ID, or --preset and --mapping, not both.');
    return api.POST('/api/v1/integrations/{id}/preview', { params: { path: { id } }, body: request });
  }
  if (source === undefined) throw new UsageError('Give the ID of an integration, or --preset and --mapping.');
  return api.POST('/api/v1/integrations/preview', { body: { ...request, source } });
}

/** A header that is given twice was sent twice. Messages do not repeat one: it may hold a secret. */
function readHeaders(texts: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const text of texts) {
    const [name = '', ...values] = text.split(':');
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name.trim())) throw new UsageError('A header is not NAME: VALUE.');
    const key = name.trim().toLowerCase();
    headers[key] = [...(headers[key] ?? []), values.join(':').trim()];
  }
  return headers;
}

function showPreview({ output }: CommandContext, shown: Schemas['HookPreview']): void {
  const { outcome, signature, mapped, answer, refusal, hook, event } = shown;
  const secret = signature.secret === null ? '' : ` (secret ${signature.secret})`;
  const reason = signature.reason === null ? '' : `: ${signature.reason}`;
  output.facts(shown, [
    ['Outcome', outcome],
    ['Signature', `${signature.result}${secret}${reason}`],
    ...mapped.map(({ member, read, became }) => [member, `${read ?? 'nothing'} → ${became ?? 'nothing'}`] as const),
    ...(refusal === null ? [] : ([['Refused', `${refusal.step}: ${refusal.reason}`]] as const)),
    ...(answer === null ? [] : ([['Answer', answer]] as const)),
    ...(hook === null ? [] : ([['Widget', hook.widgetId ?? describeMissingWidget(mapped)]] as const)),
    ...(event === null ? [] : ([['Event', event.type]] as const)),
  ]);
}

/** A widget that is known by a name has an id once the integration has one. */
function describeMissingWidget(mapped: Schemas['HookPreview']['mapped']): string {
  const isNamed = mapped.some(({ member, read }) => member === 'widgetId' && read !== null);
  return isNamed ? 'has an id once the integration exists' : 'none';
}

const map: CommandDefinition = {
  name: 'integrations map',
  parameters: ['ID', 'FILE'],
  summary: 'Replace the mapping of an integration by the one in FILE, or - for the standard input.',
  async run(context, input) {
    const [id = '', file = ''] = input.parameters;
    const body = await readJsonFile<Schemas['NewHookMapping']>(context, file);
    await context.client.api.PUT('/api/v1/integrations/{id}/source/mapping', { params: { path: { id } }, body });
    context.output.note('Mapped: it applies on every pod within 2 s.');
  },
};

const replaceSecrets: CommandDefinition = {
  name: 'integrations secrets',
  parameters: ['ID'],
  summary: 'Replace the secrets of a foreign sender by those in WIDGETCTL_SOURCE_SECRETS. The URL stays.',
  async run(context, input) {
    const [id = ''] = input.parameters;
    const secrets = [...(await context.readSecretLines('WIDGETCTL_SOURCE_SECRETS'))];
    if (secrets.length === 0) throw new UsageError('WIDGETCTL_SOURCE_SECRETS is not set: one secret a line.');
    const params = { path: { id } };
    await context.client.api.PUT('/api/v1/integrations/{id}/source/secrets', { params, body: { secrets } });
    context.output.note(`Replaced by ${secrets.length}: they apply on every pod within 2 s.`);
  },
};

export const sourceCommands = [preview, map, replaceSecrets];
