import { useSignal } from '@preact/signals';
import { writeHookLines } from '../../grants/code-lines.ts';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { GrantsList } from '../../grants/grants-list.tsx';
import { NewGrantDialog } from '../../grants/new-grant-dialog.tsx';
import { SecretDialog } from '../../grants/secret-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Link } from '../../router/link.tsx';
import { api } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { ChangeIntegration } from './change-integration.tsx';
import { defaultIntegration, IntegrationFields, toIntegration } from './integration-fields.tsx';

/** All integrations. */
export function HooksPage() {
  const { hooks } = texts;
  const isCreating = useSignal(false);
  const issued = useSignal<IssuedGrant | null>(null);
  const version = useSignal(0);
  return (
    <>
      <PageHeader title={hooks.title}>
        <Link to="/hooks/quarantine" class="button button-plain">
          {hooks.quarantine.title}
        </Link>
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
        renderChange={(grant, close, onChanged) =>
          'signature' in grant ? <ChangeIntegration integration={grant} onChanged={onChanged} onClose={close} /> : null
        }
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
          lines={writeHookLines(issued.value.signingSecret !== undefined)}
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
  const values = useSignal(defaultIntegration);
  const signature = isSigned.value ? 'standard-webhooks' : 'none';
  return (
    <NewGrantDialog
      title={hooks.create}
      draftName="new-integration"
      onCreate={(grant) =>
        api.POST('/api/v1/integrations', { body: { ...grant, signature, ...toIntegration(values.value) } })
      }
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
      <IntegrationFields values={values} />
    </NewGrantDialog>
  );
}
