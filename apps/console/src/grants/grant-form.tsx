import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { FormDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { showToast } from '../parts/messages.tsx';
import { nameTimeZone, readLocalText, toLocalText } from '../parts/time-zone.ts';
import { api } from '../service/service.ts';
import type { Grant, GrantKind, IssuedGrant } from './describe-grant.ts';

interface GrantFormProperties {
  readonly kind: GrantKind;
  /** Null: a new one. */
  readonly grant: Grant | null;
  readonly onIssued: (issued: IssuedGrant) => void;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/**
 * The form that creates or changes a grant. A change keeps the secret, and sends only what the person has changed: the
 * service refuses an expiry in the past, even if it was that before.
 */
export function GrantForm({ kind, grant, onIssued, onChanged, onClose }: GrantFormProperties) {
  const { path, fields, createLabel } = kind;
  // As it was when the dialog opened: somebody else may change the grant meanwhile.
  const { current: before } = useRef({
    name: grant?.name ?? '',
    /** As an input of the type `datetime-local` has it: in the chosen time zone. Empty for no end. */
    expires: toLocalText(grant?.expiresAt ?? null),
    further: fields?.read(grant),
  });
  const name = useSignal(before.name);
  const expires = useSignal(before.expires);
  const further = useSignal(before.further);
  const isNew = grant === null;
  const submit = async () => {
    const named = { name: name.value };
    const ending = { expiresAt: readLocalText(expires.value) };
    const others = isNew || further.value !== before.further ? fields?.toBody(further.value, isNew) : {};
    if (grant === null) {
      const issued: IssuedGrant = await api.POST(path, { body: { ...named, ...ending, ...others } });
      onClose();
      onIssued(issued);
      return;
    }
    const body = {
      ...(name.value === before.name ? {} : named),
      ...(expires.value === before.expires ? {} : ending),
      ...others,
    };
    await api.PATCH(`${path}/{id}`, { params: { path: { id: grant.id } }, body });
    showToast('Saved');
    onClose();
    onChanged();
  };
  return (
    <FormDialog
      title={isNew ? createLabel : `Edit ${grant.name}`}
      submitLabel={isNew ? 'Create' : 'Save'}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Shown in lists. For example, the partner's name."
        pointer="/name"
        required
        value={name.value}
        onInput={(text) => (name.value = text)}
      />
      <TextField
        label="Expires"
        hint={`Optional. Time zone: ${nameTimeZone()}.`}
        pointer="/expiresAt"
        type="datetime-local"
        step="1"
        value={expires.value}
        onInput={(text) => (expires.value = text)}
      />
      {fields?.render(further, isNew)}
    </FormDialog>
  );
}
