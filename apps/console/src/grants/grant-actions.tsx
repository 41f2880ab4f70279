import { useSignal } from '@preact/signals';
import { Copy, Pencil, RotateCcwKey, TimerOff, Trash2 } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { ActionMenu } from '../parts/action-menu.tsx';
import { ConfirmDialog, FormDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { copyId, showToast } from '../parts/messages.tsx';
import { nameTimeZone, readLocalText, toLocalText } from '../parts/preferences.ts';
import { goTo } from '../router/router.tsx';
import { api } from '../service/service.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { type Grant, type GrantKind, hasOldSecret, type IssuedGrant } from './describe-grant.ts';
import { EndOldSecretDialog, RotateDialog } from './secrets.tsx';

type GrantAction = 'edit' | 'rotate' | 'end-old' | 'revoke';

/** What was asked for. Null for the grant: a new one. */
interface Asked {
  readonly action: GrantAction;
  readonly grant: Grant | null;
}

/** What can be done with the grants of a kind: `ask` opens a dialog, and `dialog` is the open one. */
export function useGrantActions(kind: GrantKind, onChanged: () => void, onRevoked: () => void) {
  const asked = useSignal<Asked | null>(null);
  const current = asked.value;
  // A dialog that was left while its request runs must not close the one that was opened since.
  const close = () => {
    if (asked.peek() === current) asked.value = null;
  };
  const ask = (action: GrantAction, grant: Grant | null) => (asked.value = { action, grant });
  const issue = (issued: IssuedGrant) => {
    onChanged();
    kind.onIssued(issued, current?.grant ?? null);
  };
  return { ask, dialog: current === null ? null : renderDialog(kind, current, { issue, onChanged, onRevoked, close }) };
}

function renderDialog(
  kind: GrantKind,
  { action, grant }: Asked,
  on: Readonly<Record<'onChanged' | 'onRevoked' | 'close', () => void>> & { readonly issue: (of: IssuedGrant) => void },
): ComponentChildren {
  const { path } = kind;
  if (grant === null || action === 'edit') {
    return <GrantForm kind={kind} grant={grant} onIssued={on.issue} onChanged={on.onChanged} onClose={on.close} />;
  }
  if (action === 'rotate') return <RotateDialog path={path} grant={grant} onRotated={on.issue} onClose={on.close} />;
  if (action === 'end-old') {
    return <EndOldSecretDialog path={path} grant={grant} onEnded={on.onChanged} onClose={on.close} />;
  }
  const { id, name } = grant;
  return (
    <ConfirmDialog
      title={`Revoke ${name}`}
      text="It stops working within 2 seconds everywhere. This can't be undone."
      label="Revoke"
      isDangerous
      onConfirm={async () => {
        await api.DELETE(`${path}/{id}`, { params: { path: { id } } });
        showToast(`${name} was revoked.`);
        on.onRevoked();
      }}
      onClose={on.close}
    />
  );
}

/** Everything that can be done with a grant. */
export function GrantMenu({ grant, onAsk }: { readonly grant: Grant; readonly onAsk: (action: GrantAction) => void }) {
  const endOld = { label: 'End old secret…', icon: TimerOff, isDangerous: true, onChoose: () => onAsk('end-old') };
  return (
    <ActionMenu
      label={`Actions of ${grant.name}`}
      entries={[
        { label: 'Edit', icon: Pencil, onChoose: () => onAsk('edit') },
        { label: 'Rotate secret…', icon: RotateCcwKey, onChoose: () => onAsk('rotate') },
        { label: 'Copy id', icon: Copy, onChoose: () => void copyId(grant.id) },
        ...(hasOldSecret(grant, readServiceMs()) ? [endOld] : []),
        { label: 'Revoke…', icon: Trash2, isDangerous: true, onChoose: () => onAsk('revoke') },
      ]}
    />
  );
}

interface GrantActionsProperties {
  readonly kind: GrantKind;
  readonly grant: Grant;
  readonly onChanged: () => void;
}

/** The menu of a grant on its own page, with its dialogs. */
export function GrantActions({ kind, grant, onChanged }: GrantActionsProperties) {
  const { ask, dialog } = useGrantActions(kind, onChanged, () => goTo(kind.listPage));
  return (
    <>
      <GrantMenu grant={grant} onAsk={(action) => ask(action, grant)} />
      {dialog}
    </>
  );
}

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
function GrantForm({ kind, grant, onIssued, onChanged, onClose }: GrantFormProperties) {
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
