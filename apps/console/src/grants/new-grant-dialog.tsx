import type { ComponentChildren } from 'preact';
import { useDraft } from '../parts/use-draft.ts';
import { texts } from '../texts/texts.ts';
import { GrantForm, toExpiresAt } from './grant-form.tsx';
import type { IssuedGrant } from './grant-kind.ts';

/** What every new grant has. `expiresAt` is null for no end. */
interface NewGrant {
  readonly name: string;
  readonly expiresAt: string | null;
}

interface NewGrantDialogProperties {
  readonly title: string;
  /** Names the draft of the form. */
  readonly draftName: string;
  /** Further fields. */
  readonly children?: ComponentChildren;
  readonly onCreate: (grant: NewGrant) => Promise<IssuedGrant>;
  readonly onCreated: (issued: IssuedGrant) => void;
  readonly onClose: () => void;
}

/** The form for a new grant. */
export function NewGrantDialog(properties: NewGrantDialogProperties) {
  const { title, draftName, children, onCreate, onCreated, onClose } = properties;
  const { values, clear } = useDraft(draftName, { name: '', expires: '' });
  const submit = async () => {
    const issued = await onCreate({ name: values.value.name, expiresAt: toExpiresAt(values.value) });
    clear();
    onClose();
    onCreated(issued);
  };
  return (
    <GrantForm title={title} submitLabel={texts.grants.create} values={values} onSubmit={submit} onClose={onClose}>
      {children}
    </GrantForm>
  );
}
