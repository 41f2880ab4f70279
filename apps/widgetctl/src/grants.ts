import type { components } from '@widget-service/client/interface.ts';
import { type Command, type Input, makeCommand, type OptionRows } from './command-line.ts';
import type { Context } from './context.ts';
import { UsageError } from './failures.ts';
import { readFileExactly, readText } from './files.ts';
import { call, makeCall, makeList } from './operations.ts';
import type { Column } from './output.ts';

type Schemas = components['schemas'];

type Preview = Schemas['HookPreview'];
type Grant = Schemas['Subscription'] | Schemas['Integration'] | Schemas['ProvisionToken'];
interface IssuedGrant {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly url?: string;
  readonly signingSecret?: string;
}

/** Shows what only this response has. */
const issued = {
  facts: ({ url, token, signingSecret }: IssuedGrant): readonly Column<IssuedGrant>[] => [
    ...(['id', 'name'] as const),
    url === undefined ? { title: 'Token', text: () => token } : { title: 'URL', text: () => url },
    ...(signingSecret === undefined ? [] : [{ title: 'Signing secret', text: () => signingSecret }]),
  ],
  note: 'Keep it now: it is a secret, and the service does not show it again.',
};

function readLastUsed(grant: Grant): string | null {
  if ('lastConnectedAt' in grant) return grant.lastConnectedAt;
  return 'lastReceivedAt' in grant ? grant.lastReceivedAt : grant.lastUsedAt;
}

/** The options that say who sends, and where the members of a hook are. */
const sourceOptions: OptionRows = {
  'preset PRESET': 'Who sends: github, gitlab, stripe, … or custom. Its secrets: WIDGETCTL_SOURCE_SECRETS, one a line.',
  'mapping FILE': 'Where the members of a hook are in its requests, in JSON.',
  'scheme FILE': 'With --preset custom: how it signs, in JSON.',
};

/** Returns the source that the options describe, as a member of a body; none without `--preset`. */
async function readSource(context: Context, input: Input): Promise<{ readonly source?: object }> {
  const [preset, mapping, scheme] = [input.value('preset'), input.value('mapping'), input.value('scheme')];
  if (preset === undefined && (mapping ?? scheme) === undefined) return {};
  if (preset === undefined) throw new UsageError('--mapping and --scheme need --preset.');
  if (mapping === undefined) throw new UsageError('--preset needs --mapping.');
  // The service knows the presets, and says what is wrong with a mapping: it may be newer than this command.
  const source = {
    preset,
    mapping: await context.readJson(mapping),
    ...(scheme === undefined ? {} : { scheme: await context.readJson(scheme) }),
    ...(await readSecrets(context)),
  };
  return { source };
}

/** Returns the secrets of a foreign sender, as a member of a body; none if there are none. */
async function readSecrets(context: Context): Promise<{ readonly secrets?: readonly string[] }> {
  const secrets = await context.readSecretLines('WIDGETCTL_SOURCE_SECRETS');
  return secrets.length === 0 ? {} : { secrets };
}

/** The three kinds of access that a token gives. */
const grantKinds = [
  { word: 'subscriptions', path: '/api/v1/subscriptions', one: 'a subscription, whose URL opens a stream' },
  { word: 'integrations', path: '/api/v1/integrations', one: 'an integration, whose URL accepts hooks' },
  { word: 'tokens', path: '/api/v1/provision-tokens', one: 'a provision token, which creates widgets' },
] as const;

export const grantCommands: readonly Command[] = grantKinds.flatMap(({ word, path, one }) => {
  const takesHooks = word === 'integrations';
  const rotateHint = takesHooks ? ' A foreign sender needs WIDGETCTL_SOURCE_SECRETS.' : '';
  const revokeHint = word === 'subscriptions' ? ' Its open streams end.' : '';
  return [
    makeList<Grant>(`${word} list`, `List ${word}.`, `GET ${path}`, {
      paging: 'createdBefore',
      columns: [
        ...(['id', 'name', 'createdAt', 'expiresAt'] as const),
        { title: 'Last used', text: (grant) => readLastUsed(grant) ?? 'never' },
      ],
    }),
    makeCall<IssuedGrant>(`${word} create NAME`, `Make ${one}.`, `POST ${path}`, {
      options: {
        'expires TIME': { member: 'expiresAt', text: 'When it expires, in UTC. Default: never.' },
        ...(takesHooks && { ...sourceOptions, signed: 'Hooks need a signature. Shows the signing secret.' }),
      },
      body: async (context, input) => ({
        name: input.parameters[0],
        ...(await readSource(context, input)),
        ...(input.has('signed') && { signature: 'standard-webhooks' }),
      }),
      ...issued,
    }),
    makeCall<IssuedGrant>(
      `${word} rotate ID`,
      `Replace the secret. The old one stays valid for a while.${rotateHint}`,
      `POST ${path}/{id}/rotate`,
      {
        options: {
          'overlap SECONDS': {
            min: 0,
            member: 'overlapSeconds',
            text: 'How long the old secret stays valid. Default: 300.',
          },
        },
        body: (context) => (takesHooks ? readSecrets(context) : {}),
        ...issued,
      },
    ),
    makeCall(
      `${word} end-previous ID`,
      'End the secret that the last rotation replaced, before its time.',
      `DELETE ${path}/{id}/previous-token`,
      { note: 'Ended.' },
    ),
    makeCall(`${word} revoke ID`, `Revoke it for good, on every pod.${revokeHint}`, `DELETE ${path}/{id}`, {
      note: 'Revoked.',
    }),
  ];
});

const samples = '/api/v1/integrations/{id}/samples';

export const sampleCommands: readonly Command[] = [
  makeList<Schemas['HookSample']>(
    'samples list INTEGRATION',
    'List the refused requests of a foreign sender that are kept. With --json, headers and bodies, too.',
    `GET ${samples}`,
    {
      paging: 'none',
      hasLimit: true,
      columns: [
        ...(['receivedAt', 'code'] as const),
        { title: 'Step', text: ({ refusal }) => refusal.step },
        { title: 'Reason', text: ({ refusal }) => refusal.reason },
        { title: 'Bytes', text: ({ body }) => String(Buffer.byteLength(body)) },
      ],
    },
  ),
  makeCall<Schemas['HookSamples']>(
    'samples keep INTEGRATION',
    'Keep refused requests of a foreign sender for a while. Then all are deleted.',
    `PUT ${samples}`,
    {
      options: {
        'seconds SECONDS': {
          min: 60,
          member: 'keepForSeconds',
          text: 'For how long: 60 to 86400. Default: 3600.',
        },
      },
      facts: () => [{ title: 'Kept until', text: ({ keptUntil }) => keptUntil ?? 'none' }],
    },
  ),
  makeCall('samples delete INTEGRATION', 'Delete these requests, and keep no more.', `DELETE ${samples}`, {
    note: 'Deleted. No more are kept.',
  }),
];

const headerOption = {
  isRepeated: true,
  text: 'A header of the request, as NAME: VALUE. Those with a secret: WIDGETCTL_HEADERS, one a line; or NAME alone.',
};

const preview = makeCommand(
  'integrations preview FILE ID?',
  'Show what becomes of a request of a foreign sender: FILE, or - for the standard input, is its body.',
  { 'header HEADER': headerOption, ...sourceOptions },
  async (context, input) => {
    const [file = '', id] = input.parameters;
    const url = await context.readSecret('WIDGETCTL_HOOK_URL');
    const body = {
      headers: readHeaders([...input.values('header'), ...(await context.readSecretLines('WIDGETCTL_HEADERS'))]),
      body: file === '-' ? await readText(context.open(file)) : await readFileExactly(file),
      ...(url === undefined ? {} : { url }),
      ...(await readSource(context, input)),
    };
    if (id !== undefined && 'source' in body) throw new UsageError('Give an ID, or --preset and --mapping, not both.');
    if (id === undefined && !('source' in body))
      throw new UsageError('Give the ID of an integration, or --preset and --mapping.');
    const operation = id === undefined ? 'POST /api/v1/integrations/preview' : 'POST /api/v1/integrations/{id}/preview';
    const shown = (await call(context, { operation, parameters: [id ?? ''], body })) as Preview;
    context.output.facts(shown, listFacts(shown));
  },
);

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

function listFacts({ signature, mapped, answer, refusal, hook, event }: Preview): Column<Preview>[] {
  const fact = (title: string, text: string) => ({ title, text: () => text });
  const secret = signature.secret === null ? '' : ` (secret ${signature.secret})`;
  const reason = signature.reason === null ? '' : `: ${signature.reason}`;
  // A widget that is known by a name has an id once the integration has one.
  const isNamed = mapped.some(({ member, read }) => member === 'widgetId' && read !== null);
  const missing = isNamed ? 'has an id once the integration exists' : 'none';
  return [
    'outcome',
    fact('Signature', `${signature.result}${secret}${reason}`),
    ...mapped.map(({ member, read, became }) => fact(member, `${read ?? 'nothing'} → ${became ?? 'nothing'}`)),
    ...(refusal === null ? [] : [fact('Refused', `${refusal.step}: ${refusal.reason}`)]),
    ...(answer === null ? [] : [fact('Answer', answer)]),
    ...(hook === null ? [] : [fact('Widget', hook.widgetId ?? missing)]),
    ...(event === null ? [] : [fact('Event', event.type)]),
  ];
}

const map = makeCall(
  'integrations map ID FILE',
  'Replace the mapping of an integration by the one in FILE, or - for the standard input.',
  'PUT /api/v1/integrations/{id}/source/mapping',
  {
    body: async (context, { parameters: [, file = ''] }) => (await context.readJson(file)) as object,
    note: 'Mapped: it applies on every pod within 2 s.',
  },
);

const replaceSecrets = makeCall(
  'integrations secrets ID',
  'Replace the secrets of a foreign sender by those in WIDGETCTL_SOURCE_SECRETS. The URL stays.',
  'PUT /api/v1/integrations/{id}/source/secrets',
  {
    async body(context) {
      const body = await readSecrets(context);
      if (body.secrets === undefined) throw new UsageError('WIDGETCTL_SOURCE_SECRETS is not set: one secret a line.');
      return body;
    },
    note: 'Replaced: they apply on every pod within 2 s.',
  },
);

export const sourceCommands = [preview, map, replaceSecrets];
