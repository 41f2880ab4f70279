import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { toLocalText } from '../parts/time-input.tsx';
import { showToast } from '../parts/toasts.tsx';
import { texts } from '../texts/texts.ts';
import { GrantForm, type GrantFormValues, toExpiresAt } from './grant-form.tsx';
import type { Grant } from './grant-kind.ts';

interface GrantChanges {
  readonly name?: string;
  readonly expiresAt?: string | null;
}

interface ChangeGrantDialogProperties {
  readonly grant: Pick<Grant, 'name' | 'expiresAt'>;
  /** Further fields. */
  readonly children?: ComponentChildren;
  /** Gets only what the person has changed: the service refuses an expiry in the past, even if it was that before. */
  readonly onChange: (changes: GrantChanges) => Promise<unknown>;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** The form that changes a grant. Its secret stays. */
export function ChangeGrantDialog({ grant, children, onChange, onChanged, onClose }: ChangeGrantDialogProperties) {
  const { grants } = texts;
  // As it was when the dialog opened: somebody else may change the grant meanwhile.
  const { current: before } = useRef<GrantFormValues>({ name: grant.name, expires: toLocalText(grant.expiresAt) });
  const values = useSignal(before);
  const submit = async () => {
    const { name, expires } = values.value;
    await onChange({
      ...(name === before.name ? {} : { name }),
      ...(expires === before.expires ? {} : { expiresAt: toExpiresAt(values.value) }),
    });
    showToast(grants.changed(name.trim()));
    onClose();
    onChanged();
  };
  return (
    <GrantForm
      title={grants.changeTitle(grant.name)}
      submitLabel={grants.save}
      values={values}
      onSubmit={submit}
      onClose={onClose}
    >
      {children}
    </GrantForm>
  );
}
