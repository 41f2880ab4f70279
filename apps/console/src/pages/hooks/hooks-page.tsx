import { useSignal } from '@preact/signals';
import { writeHookLines } from '../../grants/code-lines.ts';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { GrantsList } from '../../grants/grants-list.tsx';
import { NewGrantDialog } from '../../grants/new-grant-dialog.tsx';
import { SecretDialog } from '../../grants/secret-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { api } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

/** All integrations. */
export function HooksPage() {
  const { hooks } = texts;
  const isCreating = useSignal(false);
  const issued = useSignal<IssuedGrant | null>(null);
  const version = useSignal(0);
  return (
    <>
      <PageHeader title={hooks.title}>
        <Button kind="primary" data-shortcut="c" onClick={() => (isCreating.value = true)}>
          {hooks.create}
        </Button>
      </PageHeader>
      <p class="intro">{hooks.intro}</p>
      <GrantsList
        path="/api/v1/integrations"
        label={hooks.title}
        emptyText={hooks.empty}
        toPage={({ id }) => `/hooks/${id}`}
        version={version.value}
        onIssued={(grant) => (issued.value = grant)}
      />
      {isCreating.value ? (
        <NewIntegration
          onClose={() => (isCreating.value = false)}
          onCreated={(grant) => {
            issued.value = grant;
            version.value += 1;
          }}
        />
      ) : null}
      {issued.value === null ? null : (
        <SecretDialog
          issued={issued.value}
          lines={writeHookLines(issued.value.url ?? '', issued.value.signingSecret)}
          onClose={() => (issued.value = null)}
        />
      )}
    </>
  );
}

interface NewIntegrationProperties {
  readonly onClose: () => void;
  readonly onCreated: (issued: IssuedGrant) => void;
}

function NewIntegration({ onClose, onCreated }: NewIntegrationProperties) {
  const { hooks } = texts;
  const isSigned = useSignal(false);
  const deduplicates = useSignal(false);
  const rate = useSignal('');
  const settings = {
    signature: isSigned.value ? ('standard-webhooks' as const) : ('none' as const),
    deduplicateByContent: deduplicates.value,
    rate: rate.value === '' ? null : Number(rate.value),
  };
  return (
    <NewGrantDialog
      title={hooks.create}
      draftName="new-integration"
      onCreate={(grant) => api.POST('/api/v1/integrations', { body: { ...grant, ...settings } })}
      onCreated={onCreated}
      onClose={onClose}
    >
      <label class="choice">
        <input
          type="checkbox"
          checked={isSigned.value}
          onChange={({ currentTarget }) => (isSigned.value = currentTarget.checked)}
        />
        {hooks.signature}
      </label>
      <p class="hint">{hooks.signatureHint}</p>
      <label class="choice">
        <input
          type="checkbox"
          checked={deduplicates.value}
          onChange={({ currentTarget }) => (deduplicates.value = currentTarget.checked)}
        />
        {hooks.deduplicate}
      </label>
      <Field label={hooks.rate} hint={hooks.rateHint}>
        {({ id, hintId }) => (
          <input
            id={id}
            class="input"
            type="number"
            min="1"
            aria-describedby={hintId}
            value={rate.value}
            onInput={({ currentTarget }) => (rate.value = currentTarget.value)}
          />
        )}
      </Field>
    </NewGrantDialog>
  );
}
