import { useSignal } from '@preact/signals';
import { Copy, Pencil, RotateCcwKey, TimerOff, Trash2 } from 'lucide';
import { useRef } from 'preact/hooks';
import { ActionMenu } from '../parts/action-menu.tsx';
import { ask, FormDialog, showDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { copyId, showToast } from '../parts/messages.tsx';
import { nameTimeZone, readLocalText, toLocalText } from '../parts/preferences.ts';
import { goTo } from '../router/router.tsx';
import { api } from '../service/service.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { type Grant, type GrantKind, hasOldSecret, type IssuedGrant } from './describe-grant.ts';
import { askEndOldSecret, RotateDialog } from './secrets.tsx';

interface GrantActionsProperties {
  readonly kind: GrantKind;
  readonly grant: Grant;
  readonly onChanged: () => void;
  /** Default: the page of the grant is left for the list. */
  readonly onRevoked?: () => void;
}

/** Opens the form of a grant. Null: a new one. */
export function editGrant(kind: GrantKind, grant: Grant | null, onChanged: () => void): void {
  showDialog((close) => <GrantForm kind={kind} grant={grant} onChanged={onChanged} onClose={close} />);
}

/** Everything that can be done with a grant, as a menu. */
export function GrantActions({
  kind,
  grant,
  onChanged,
  onRevoked = () => goTo(kind.listPage),
}: GrantActionsProperties) {
  const { path } = kind;
  const { id, name } = grant;
  const rotate = () => {
    const issue = (issued: IssuedGrant) => {
      onChanged();
      kind.onIssued(issued, grant);
    };
    showDialog((close) => <RotateDialog path={path} grant={grant} onRotated={issue} onClose={close} />);
  };
  const askRevoke = () =>
    ask({
      title: `Revoke ${name}`,
      text: "It stops working within 2 seconds everywhere. This can't be undone.",
      label: 'Revoke',
      isDangerous: true,
      onConfirm: async () => {
        await api.DELETE(`${path}/{id}`, { params: { path: { id } } });
        showToast(`${name} was revoked.`);
        onRevoked();
      },
    });
  const askEndOld = () => askEndOldSecret(path, grant, onChanged);
  const endOld = { label: 'End old secret…', icon: TimerOff, isDangerous: true, onChoose: askEndOld };
  return (
    <ActionMenu
      label={`Actions of ${name}`}
      entries={[
        { label: 'Edit', icon: Pencil, onChoose: () => editGrant(kind, grant, onChanged) },
        { label: 'Rotate secret…', icon: RotateCcwKey, onChoose: rotate },
        { label: 'Copy id', icon: Copy, onChoose: () => void copyId(id) },
        ...(hasOldSecret(grant, readServiceMs()) ? [endOld] : []),
        { label: 'Revoke…', icon: Trash2, isDangerous: true, onChoose: askRevoke },
      ]}
    />
  );
}

interface GrantFormProperties {
  readonly kind: GrantKind;
  /** Null: a new one. */
  readonly grant: Grant | null;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/**
 * The form that creates or changes a grant. A change keeps the secret, and sends only what the person has changed: the
 * service refuses an expiry in the past, even if it was that before.
 */
function GrantForm({ kind, grant, onChanged, onClose }: GrantFormProperties) {
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
      onChanged();
      kind.onIssued(issued, null);
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
