import { useSignal } from '@preact/signals';
import type { GrantFields, GrantKind } from '../../grants/describe-grant.ts';
import { GrantActions } from '../../grants/grant-actions.tsx';
import { GrantsPage } from '../../grants/grants-page.tsx';
import { listSecretFacts, SourceSecretsField, toSecrets } from '../../grants/secrets.tsx';
import { Button } from '../../parts/button.tsx';
import { FormDialog, showDialog } from '../../parts/dialog.tsx';
import { WithFacts } from '../../parts/facts.tsx';
import { CheckBox, TextField } from '../../parts/fields.tsx';
import { formatCount } from '../../parts/format.ts';
import { ReadState, showToast } from '../../parts/messages.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { FullTime } from '../../parts/time.tsx';
import type { RouteParameters } from '../../router/match-route.ts';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { may } from '../../session/session.ts';
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

interface IntegrationValues {
  /** Only a rotation changes the way of signing later. */
  readonly isSigned: boolean;
  readonly deduplicateByContent: boolean;
  /** Digits, or empty for the limit of the service. */
  readonly rate: string;
}

const integrationFields: GrantFields<IntegrationValues> = {
  read: (grant) => {
    if (grant === null || !('signature' in grant)) return { isSigned: false, deduplicateByContent: true, rate: '' };
    const { deduplicateByContent, rate } = grant;
    return { isSigned: false, deduplicateByContent, rate: rate === null ? '' : String(rate) };
  },
  toBody: ({ isSigned, deduplicateByContent, rate }, isNew) => ({
    ...(isNew ? { signature: isSigned ? 'standard-webhooks' : 'none' } : {}),
    deduplicateByContent,
    rate: rate === '' ? null : Number(rate),
  }),
  render: (values, isNew) => {
    const set = (changes: Partial<IntegrationValues>) => (values.value = { ...values.value, ...changes });
    const { isSigned, deduplicateByContent, rate } = values.value;
    return (
      <>
        {isNew ? (
          <>
            <CheckBox label="Require signed hooks" checked={isSigned} onChange={(next) => set({ isSigned: next })} />
            <p class="hint">As defined by Standard Webhooks. The signing secret is shown once.</p>
          </>
        ) : null}
        <CheckBox
          label="Deduplicate by content"
          checked={deduplicateByContent}
          onChange={(next) => set({ deduplicateByContent: next })}
        />
        <p class="hint">If a hook has no webhook-id, an identical one counts as a duplicate.</p>
        <TextField
          label="Hooks per second"
          hint="Optional. Leave empty for the service default."
          pointer="/rate"
          type="number"
          min="1"
          value={rate}
          onInput={(next) => set({ rate: next })}
        />
      </>
    );
  },
};

/** Integrations as grants. */
const integrationGrants: GrantKind = {
  path: '/api/v1/integrations',
  listPage: '/hooks',
  hasPages: true,
  title: 'Integrations',
  intro: 'Each integration is a secret URL that one external system posts hooks to.',
  emptyText: 'Create an integration, and give its URL to the system that sends hooks.',
  createLabel: 'Create integration',
  fields: integrationFields,
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
  const replaceSecret = () => showDialog((close) => <ReplaceSecretDialog id={id} onClose={close} />);
  return (
    <>
      <PageHeader title={integration?.name ?? id} parents={[['Integrations', '/hooks']]}>
        {may('audit:read') ? (
          <Link to={`/access/audit?targetId=${id}`} class="button button-quiet">
            Activity
          </Link>
        ) : null}
        {integration?.source === null ? <Button onClick={test}>Send test hook</Button> : null}
        {integration?.source == null ? null : (
          <>
            <Button onClick={replaceSecret}>Replace secret</Button>
            <Link to={`/hooks/${id}/mapping`} class="button button-plain">
              Mapping
            </Link>
          </>
        )}
        {integration === null ? null : <GrantActions kind={integrationGrants} grant={integration} onChanged={reload} />}
      </PageHeader>
      <ReadState read={read} />
      {integration === null ? null : (
        <>
          <FindHook integrationId={id} />
          <WithFacts facts={listFacts(integration, reload)}>
            <HooksList integrationId={id} />
          </WithFacts>
        </>
      )}
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

/** Replaces the secrets of a foreign sender. */
function ReplaceSecretDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const secrets = useSignal('');
  const submit = async () => {
    const body = { secrets: toSecrets(secrets.peek()) };
    await api.PUT('/api/v1/integrations/{id}/source/secrets', { params: { path: { id } }, body });
    showToast('Secret replaced. It applies on every pod within 2 seconds.');
    onClose();
  };
  return (
    <FormDialog title="Replace secret" submitLabel="Replace secret" onSubmit={submit} onClose={onClose}>
      <p>
        The URL stays the same. To avoid refused hooks, save both secrets here, change the secret at the sender, then
        save only the new one here.
      </p>
      <SourceSecretsField value={secrets} />
    </FormDialog>
  );
}
