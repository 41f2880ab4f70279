import { useSignal } from '@preact/signals';
import { toSecrets } from '../../../grants/to-secrets.ts';
import { FormDialog } from '../../../parts/dialog.tsx';
import { LinesField } from '../../../parts/fields.tsx';
import { showToast } from '../../../parts/messages.tsx';
import { api } from '../../../service/service.ts';
import { texts } from '../../../texts/texts.ts';

interface ReplaceSecretDialogProperties {
  readonly id: string;
  readonly onClose: () => void;
}

/** Replaces the secrets of a foreign sender. What is typed is kept nowhere. */
export function ReplaceSecretDialog({ id, onClose }: ReplaceSecretDialogProperties) {
  const { sources } = texts;
  const secrets = useSignal('');
  const submit = async () => {
    const body = { secrets: toSecrets(secrets.peek()) };
    await api.PUT('/api/v1/integrations/{id}/source/secrets', { params: { path: { id } }, body });
    showToast(sources.secretReplaced);
    onClose();
  };
  return (
    <FormDialog title={sources.replaceSecret} submitLabel={sources.replaceSecret} onSubmit={submit} onClose={onClose}>
      <p>{sources.replaceSecretText}</p>
      <LinesField
        isSecret
        label={sources.secrets}
        hint={sources.secretsHint}
        value={secrets.value}
        onInput={(next) => (secrets.value = next)}
      />
    </FormDialog>
  );
}
