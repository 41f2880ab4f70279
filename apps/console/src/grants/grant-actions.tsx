import { signal } from '@preact/signals';
import { Copy, Pencil, RotateCcwKey, TimerOff, Trash2 } from 'lucide';
import { ActionMenu } from '../parts/action-menu.tsx';
import { ask } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { copyId, showToast } from '../parts/messages.tsx';
import { nameTimeZone, readLocalText, toLocalText } from '../parts/preferences.ts';
import { goTo } from '../router/router.tsx';
import { api } from '../service/service.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { type Grant, type GrantKind, hasOldSecret, type IssuedGrant } from './describe-grant.ts';
import { askEndOldSecret, rotateSecret } from './secrets.tsx';

interface GrantActionsProperties {
  readonly kind: GrantKind;
  readonly grant: Grant;
  readonly onChanged: () => void;
  /** Default: the page of the grant is left for the list. */
  readonly onRevoked?: () => void;
}

/**
 * Opens the form that creates or changes a grant. A change keeps the secret, and sends only the members that the person
 * has changed: the service refuses an expiry in the past, even if it was that before.
 */
export function editGrant(kind: GrantKind, grant: Grant | null, onChanged: () => void): void {
  const { path } = kind;
  const name = signal(grant?.name ?? '');
  /** As an input of the type `datetime-local` has it: in the chosen time zone. Empty for no end. */
  const expires = signal(toLocalText(grant?.expiresAt ?? null));
  const further = kind.makeFields?.(grant);
  const read = (): Record<string, unknown> => ({
    name: name.value,
    expiresAt: readLocalText(expires.value),
    ...further?.toBody(),
  });
  const before = read();
  const isChanged = ([member, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[member]);
  ask({
    title: grant === null ? kind.createLabel : `Edit ${grant.name}`,
    label: grant === null ? 'Create' : 'Save',
    Fields: () => (
      <>
        <TextField
          of={name}
          label="Name"
          hint="Shown in lists. For example, the partner's name."
          pointer="/name"
          required
        />
        <TextField
          of={expires}
          label="Expires"
          hint={`Optional. Time zone: ${nameTimeZone()}.`}
          pointer="/expiresAt"
          type="datetime-local"
          step="1"
        />
        {further === undefined ? null : <further.Fields />}
      </>
    ),
    onSubmit: async () => {
      if (grant === null) {
        const issued: IssuedGrant = await api.POST(path, { body: read() as { name: string } });
        onChanged();
        kind.onIssued(issued, null);
        return;
      }
      const body = Object.fromEntries(Object.entries(read()).filter(isChanged));
      await api.PATCH(`${path}/{id}`, { params: { path: { id: grant.id } }, body });
      showToast('Saved');
      onChanged();
    },
  });
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
  const rotate = () =>
    rotateSecret(path, grant, (issued) => {
      onChanged();
      kind.onIssued(issued, grant);
    });
  const askRevoke = () =>
    ask({
      title: `Revoke ${name}`,
      text: "It stops working within 2 seconds everywhere. This can't be undone.",
      label: 'Revoke',
      isDangerous: true,
      onSubmit: async () => {
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
