import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { FormDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { showToast } from '../parts/messages.tsx';
import { nameTimeZone, readLocalText, toLocalText } from '../parts/time-zone.ts';
import { useDraft } from '../parts/use-draft.ts';
import { texts } from '../texts/texts.ts';
import type { Grant, IssuedGrant } from './grant-kind.ts';

/** What the form of every grant holds. */
interface GrantFormValues {
  readonly name: string;
  /** As an input of the type `datetime-local` has it: in the chosen time zone. Empty for no end. */
  readonly expires: string;
}

interface NewGrantDialogProperties {
  readonly title: string;
  /** Names the draft of the form. */
  readonly draftName: string;
  /** Further fields. */
  readonly children?: ComponentChildren;
  /** `expiresAt` is null for no end. */
  readonly onCreate: (grant: { readonly name: string; readonly expiresAt: string | null }) => Promise<IssuedGrant>;
  readonly onCreated: (issued: IssuedGrant) => void;
  readonly onClose: () => void;
}

/** The form for a new grant. */
export function NewGrantDialog(properties: NewGrantDialogProperties) {
  const { title, draftName, children, onCreate, onCreated, onClose } = properties;
  const { values, clear } = useDraft(draftName, { name: '', expires: '' }, ['name', 'expires']);
  const submit = async () => {
    const issued = await onCreate({ name: values.value.name, expiresAt: toExpiresAt(values.value) });
    clear();
    onClose();
    onCreated(issued);
  };
  return (
    <FormDialog title={title} submitLabel={texts.grants.create} onSubmit={submit} onClose={onClose}>
      <GrantFields values={values} />
      {children}
    </FormDialog>
  );
}

interface ChangeGrantDialogProperties {
  readonly grant: Pick<Grant, 'name' | 'expiresAt'>;
  /** Further fields. */
  readonly children?: ComponentChildren;
  /** Gets only what the person has changed: the service refuses an expiry in the past, even if it was that before. */
  readonly onChange: (changes: { readonly name?: string; readonly expiresAt?: string | null }) => Promise<unknown>;
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
    showToast(grants.saved);
    onClose();
    onChanged();
  };
  return (
    <FormDialog title={grants.editTitle(grant.name)} submitLabel={grants.save} onSubmit={submit} onClose={onClose}>
      <GrantFields values={values} />
      {children}
    </FormDialog>
  );
}

function GrantFields({ values }: { readonly values: Signal<GrantFormValues> }) {
  const { grants } = texts;
  const { name, expires } = values.value;
  return (
    <>
      <TextField
        label={grants.name}
        hint={grants.nameHint}
        pointer="/name"
        required
        value={name}
        onInput={(next) => (values.value = { ...values.value, name: next })}
      />
      <TextField
        label={grants.expires}
        hint={grants.expiresHint(nameTimeZone())}
        pointer="/expiresAt"
        type="datetime-local"
        step="1"
        value={expires}
        onInput={(next) => (values.value = { ...values.value, expires: next })}
      />
    </>
  );
}

/** Returns the time for the service. */
function toExpiresAt({ expires }: GrantFormValues): string | null {
  return readLocalText(expires);
}
