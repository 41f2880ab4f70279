import { signal } from '@preact/signals';
import type { Grant, GrantFields, GrantKind } from '../../grants/describe-grant.ts';
import { GrantActions, GrantsPage } from '../../grants/grants.tsx';
import { listSecretFacts, SourceSecretsField, toSecrets } from '../../grants/secrets.tsx';
import { Button } from '../../parts/button.tsx';
import { ask, showDialog } from '../../parts/dialog.tsx';
import { WithFacts } from '../../parts/facts.tsx';
import { CheckField, TextField } from '../../parts/fields.tsx';
import { formatCount } from '../../parts/format.ts';
import { ReadState, showToast } from '../../parts/messages.tsx';
import { ActivityLink, PageHeader } from '../../parts/page.tsx';
import { FullTime } from '../../parts/time.tsx';
import { Link, type RouteParameters } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { FindHook } from './find-hook.tsx';
import { handOver } from './hand-over-page.tsx';
import { HooksList } from './hooks-list.tsx';
import { senders } from './source-examples.ts';
import { TestHookDialog } from './test-hook-dialog.tsx';

/** All integrations. */
export function HooksPage() {
  return (
    <GrantsPage
      kind={integrationGrants}
      links={[
        ['Connect sender', '/hooks/connect'],
        ['Dead deliveries', '/hooks/dead'],
        ['Quarantine', '/hooks/quarantine'],
      ]}
    >
      <FindHook integrationId={null} />
    </GrantsPage>
  );
}

/** Only a rotation changes the way of signing later. */
function makeIntegrationFields(grant: Grant | null): GrantFields {
  const before = grant !== null && 'signature' in grant ? grant : null;
  const isSigned = signal(false);
  const deduplicates = signal(before?.deduplicateByContent ?? true);
  /** Digits, or empty for the limit of the service. */
  const rate = signal(String(before?.rate ?? ''));
  return {
    toBody: () => ({
      ...(grant === null ? { signature: isSigned.value ? 'standard-webhooks' : 'none' } : {}),
      deduplicateByContent: deduplicates.value,
      rate: rate.value === '' ? null : Number(rate.value),
    }),
    Fields: () => (
      <>
        {grant === null ? (
          <CheckField
            of={isSigned}
            label="Require signed hooks"
            hint="As defined by Standard Webhooks. The signing secret is shown once."
          />
        ) : null}
        <CheckField
          of={deduplicates}
          label="Deduplicate by content"
          hint="If a hook has no webhook-id, an identical one counts as a duplicate."
        />
        <TextField
          of={rate}
          label="Hooks per second"
          hint="Optional. Leave empty for the service default."
          pointer="/rate"
          type="number"
          min="1"
        />
      </>
    ),
  };
}

/** Integrations as grants. */
const integrationGrants: GrantKind = {
  path: '/api/v1/integrations',
  listPage: '/hooks',
  hasPages: true,
  title: 'Integrations',
  intro: 'Each integration is a secret URL that one external system posts hooks to.',
  emptyText: 'Create an integration, and give its URL to the system that sends hooks.',
  createLabel: 'Create integration',
  makeFields: makeIntegrationFields,
  onIssued: ({ url = '', ...issued }, before) =>
    handOver({ ...issued, url }, before !== null && 'source' in before && before.source !== null),
};

type Integration = Schemas['Integration'];

/** One integration with the hooks that it got. */
export function IntegrationPage({ id = '' }: RouteParameters) {
  const read = useResource(
    (signal) => api.GET('/api/v1/integrations/{id}', { params: { path: { id } }, signal }),
    [id],
    { refreshMs: 15_000 },
  );
  const integration = read.data.value;
  const reload = () => void read.reload();
  const isSigned = integration?.signature === 'standard-webhooks';
  const test = () => showDialog((close) => <TestHookDialog integrationId={id} isSigned={isSigned} onClose={close} />);
  return (
    <>
      <PageHeader title={integration?.name ?? id} parents={[['Integrations', '/hooks']]}>
        <ActivityLink targetId={id} />
        {integration?.source === null ? <Button onClick={test}>Send test hook</Button> : null}
        {integration?.source == null ? null : (
          <>
            <Button onClick={() => replaceSecrets(id)}>Replace secret</Button>
            <Link to={`/hooks/${id}/mapping`} class="button button-plain">
              Mapping
            </Link>
          </>
        )}
        {integration === null ? null : <GrantActions kind={integrationGrants} grant={integration} onChanged={reload} />}
      </PageHeader>
      <ReadState read={read}>
        {(shown) => (
          <>
            <FindHook integrationId={id} />
            <WithFacts facts={listFacts(shown, reload)}>
              <HooksList integrationId={id} />
            </WithFacts>
          </>
        )}
      </ReadState>
    </>
  );
}

const signatures: Readonly<Record<Integration['signature'], string>> = {
  none: 'Not required',
  'standard-webhooks': 'Required (Standard Webhooks)',
  source: 'Scheme of the sender',
};

function listFacts(integration: Integration, reload: () => void) {
  const { signature, source, deduplicateByContent, rate, createdAt, expiresAt, lastReceivedAt } = integration;
  return [
    ['Signature', signatures[signature]],
    ...(source === null ? [] : ([['Sender', senders[source.preset].name]] as const)),
    ['Deduplicate by content', deduplicateByContent ? 'On' : 'Off'],
    ['Rate limit', rate === null ? 'Service default' : `${formatCount(rate)}/s`],
    ['Created', <FullTime key="created" at={createdAt} />],
    ...listSecretFacts(integrationGrants.path, integration, reload),
    ['Expires', <FullTime key="expires" at={expiresAt} />],
    ['Last hook', <FullTime key="last" at={lastReceivedAt} />],
  ] as const;
}

/** Asks for the secrets that replace those of a foreign sender. */
function replaceSecrets(id: string): void {
  const secrets = signal('');
  ask({
    title: 'Replace secret',
    text: 'The URL stays the same. To avoid refused hooks, save both secrets here, change the secret at the sender, then save only the new one here.',
    label: 'Replace secret',
    Fields: () => <SourceSecretsField of={secrets} />,
    onSubmit: async () => {
      const body = { secrets: toSecrets(secrets.value) };
      await api.PUT('/api/v1/integrations/{id}/source/secrets', { params: { path: { id } }, body });
      showToast('Secret replaced. It applies on every pod within 2 seconds.');
    },
  });
}
