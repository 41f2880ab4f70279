import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ChangeGrantDialog, NewGrantDialog } from '../../grants/grant-form.tsx';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { CheckBox, TextField } from '../../parts/fields.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

/** What can be changed of an integration later. */
interface IntegrationValues {
  readonly deduplicateByContent: boolean;
  /** Digits, or empty for the limit of the service. */
  readonly rate: string;
}

/** As the service does it if nobody says otherwise. */
const defaultIntegration: IntegrationValues = { deduplicateByContent: true, rate: '' };

interface NewIntegrationProperties {
  readonly onClose: () => void;
  readonly onCreated: (issued: IssuedGrant) => void;
}

export function NewIntegration({ onClose, onCreated }: NewIntegrationProperties) {
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
      <CheckBox
        label={hooks.requireSignature}
        checked={isSigned.value}
        onChange={(checked) => (isSigned.value = checked)}
      />
      <p class="hint">{hooks.signatureHint}</p>
      <IntegrationFields values={values} />
    </NewGrantDialog>
  );
}

interface ChangeIntegrationProperties {
  readonly integration: Schemas['Integration'];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Changes what is not bound to the secret. Only a rotation changes the way of signing. */
export function ChangeIntegration({ integration, onChanged, onClose }: ChangeIntegrationProperties) {
  const { id, deduplicateByContent, rate } = integration;
  const { current: before } = useRef({ deduplicateByContent, rate: rate === null ? '' : String(rate) });
  const values = useSignal(before);
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
  const { hooks } = texts;
  const { deduplicateByContent, rate } = values.value;
  return (
    <>
      <CheckBox
        label={hooks.deduplicate}
        checked={deduplicateByContent}
        onChange={(checked) => (values.value = { ...values.value, deduplicateByContent: checked })}
      />
      <p class="hint">{hooks.deduplicateHint}</p>
      <TextField
        label={hooks.rate}
        hint={hooks.rateHint}
        pointer="/rate"
        type="number"
        min="1"
        value={rate}
        onInput={(next) => (values.value = { ...values.value, rate: next })}
      />
    </>
  );
}

/** Returns the members for the service. */
function toIntegration({ deduplicateByContent, rate }: IntegrationValues) {
  return { deduplicateByContent, rate: rate === '' ? null : Number(rate) };
}
