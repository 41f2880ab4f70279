import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { GrantKind } from '../../grants/grant-actions.tsx';
import { ChangeGrantDialog, NewGrantDialog } from '../../grants/grant-form.tsx';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { GrantsPage } from '../../grants/grants-page.tsx';
import { CheckBox, TextField } from '../../parts/fields.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { FindHook } from './find-hook.tsx';
import { handOver } from './hand-over-page.tsx';

/** All integrations. */
export function HooksPage() {
  return (
    <GrantsPage
      {...integrationGrants}
      title="Integrations"
      intro="Each integration is a secret URL that one external system posts hooks to."
      emptyText="Create an integration, and give its URL to the system that sends hooks."
      createLabel="Create integration"
      toPage={({ id }) => `/hooks/${id}`}
      links={[
        ['Connect sender', '/hooks/connect'],
        ['Dead deliveries', '/hooks/dead'],
        ['Quarantine', '/hooks/quarantine'],
      ]}
      renderCreate={(close, onCreated) => <NewIntegration onClose={close} onCreated={onCreated} />}
    >
      <FindHook integrationId={null} />
    </GrantsPage>
  );
}

/** Integrations as grants: what their list and their page have in common. */
export const integrationGrants: GrantKind = {
  path: '/api/v1/integrations',
  renderChange: (grant, close, onChanged) =>
    'signature' in grant ? <ChangeIntegration integration={grant} onChanged={onChanged} onClose={close} /> : null,
  onIssued: ({ url = '', ...issued }, grant) =>
    handOver({ ...issued, url }, grant !== null && 'source' in grant && grant.source !== null),
};

/** What can be changed of an integration later. `rate`: digits, or empty for the limit of the service. */
interface IntegrationValues {
  readonly deduplicateByContent: boolean;
  readonly rate: string;
}

/** Returns the members for the service. */
function toIntegration({ deduplicateByContent, rate }: IntegrationValues) {
  return { deduplicateByContent, rate: rate === '' ? null : Number(rate) };
}

function NewIntegration({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (issued: IssuedGrant) => void;
}) {
  const isSigned = useSignal(false);
  const values = useSignal<IntegrationValues>({ deduplicateByContent: true, rate: '' });
  const signature = isSigned.value ? 'standard-webhooks' : 'none';
  return (
    <NewGrantDialog
      title="Create integration"
      draftName="new-integration"
      onCreate={(grant) =>
        api.POST('/api/v1/integrations', { body: { ...grant, signature, ...toIntegration(values.value) } })
      }
      onCreated={onCreated}
      onClose={onClose}
    >
      <CheckBox
        label="Require signed hooks"
        checked={isSigned.value}
        onChange={(checked) => (isSigned.value = checked)}
      />
      <p class="hint">As defined by Standard Webhooks. The signing secret is shown once.</p>
      <IntegrationFields values={values} />
    </NewGrantDialog>
  );
}

/** Changes what is not bound to the secret. Only a rotation changes the way of signing. */
function ChangeIntegration({
  integration,
  onChanged,
  onClose,
}: {
  readonly integration: Schemas['Integration'];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const { id, deduplicateByContent, rate } = integration;
  const { current: before } = useRef({ deduplicateByContent, rate: rate === null ? '' : String(rate) });
  const values = useSignal<IntegrationValues>(before);
  return (
    <ChangeGrantDialog
      grant={integration}
      onChange={(changes) =>
        api.PATCH('/api/v1/integrations/{id}', {
          params: { path: { id } },
          body: { ...changes, ...(values.value === before ? {} : toIntegration(values.value)) },
        })
      }
      onChanged={onChanged}
      onClose={onClose}
    >
      <IntegrationFields values={values} />
    </ChangeGrantDialog>
  );
}

function IntegrationFields({ values }: { readonly values: Signal<IntegrationValues> }) {
  const { deduplicateByContent, rate } = values.value;
  return (
    <>
      <CheckBox
        label="Deduplicate by content"
        checked={deduplicateByContent}
        onChange={(checked) => (values.value = { ...values.value, deduplicateByContent: checked })}
      />
      <p class="hint">If a hook has no webhook-id, an identical one counts as a duplicate.</p>
      <TextField
        label="Hooks per second"
        hint="Optional. Leave empty for the service default."
        pointer="/rate"
        type="number"
        min="1"
        value={rate}
        onInput={(next) => (values.value = { ...values.value, rate: next })}
      />
    </>
  );
}
