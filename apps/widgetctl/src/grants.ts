import type { components } from '@widget-service/client/interface.ts';
import type { Command } from './command-line.ts';
import { makeCall, makeList } from './operations.ts';
import type { Column } from './output.ts';
import { readSecrets, readSource, sourceOptions } from './sources.ts';

type Schemas = components['schemas'];

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
        'expires TIME': { text: 'When it expires, in UTC. Default: never.' },
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
