import { useSignal } from '@preact/signals';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Field } from '../parts/field.tsx';
import { showToast } from '../parts/toasts.tsx';
import { texts } from '../texts/texts.ts';
import { type Grant, type GrantPath, type IssuedGrant, revokeGrant, rotateGrant } from './grant-kind.ts';

interface GrantDialogProperties {
  readonly path: GrantPath;
  readonly grant: Pick<Grant, 'id' | 'name'>;
  readonly onClose: () => void;
}

/** Replaces the secret of a grant. */
export function RotateDialog({
  path,
  grant,
  onClose,
  onRotated,
}: GrantDialogProperties & { readonly onRotated: (issued: IssuedGrant) => void }) {
  const { grants } = texts;
  const overlapSeconds = useSignal(300);
  return (
    <ConfirmDialog
      title={grants.rotateTitle(grant.name)}
      text={grants.rotateText}
      label={grants.rotate}
      onConfirm={async () => onRotated(await rotateGrant(path, grant.id, overlapSeconds.value))}
      onClose={onClose}
    >
      <Field label={grants.overlap}>
        {({ id }) => (
          <select
            id={id}
            class="input"
            value={overlapSeconds.value}
            onChange={({ currentTarget }) => (overlapSeconds.value = Number(currentTarget.value))}
          >
            {grants.overlaps.map(({ seconds, label }) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ConfirmDialog>
  );
}

/** Ends a grant for good. */
export function RevokeDialog({
  path,
  grant,
  onClose,
  onRevoked,
}: GrantDialogProperties & { readonly onRevoked: () => void }) {
  const { grants } = texts;
  return (
    <ConfirmDialog
      title={grants.revokeTitle(grant.name)}
      text={grants.revokeText}
      label={grants.revoke}
      isDangerous
      onConfirm={async () => {
        await revokeGrant(path, grant.id);
        showToast(grants.revoked(grant.name));
        onRevoked();
      }}
      onClose={onClose}
    />
  );
}
