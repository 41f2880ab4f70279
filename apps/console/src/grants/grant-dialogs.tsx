import { useSignal } from '@preact/signals';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Field } from '../parts/field.tsx';
import { showToast } from '../parts/toasts.tsx';
import { texts } from '../texts/texts.ts';
import {
  type Grant,
  type GrantPath,
  type IssuedGrant,
  revokeGrant,
  rotateGrant,
  rotateToSigned,
} from './grant-kind.ts';

interface GrantDialogProperties {
  readonly path: GrantPath;
  readonly grant: Pick<Grant, 'id' | 'name'>;
  readonly onClose: () => void;
}

interface RotateDialogProperties extends GrantDialogProperties {
  readonly grant: Grant;
  readonly onRotated: (issued: IssuedGrant) => void;
}

/** As long as the service itself does it. */
const defaultOverlapSeconds = 300;

/** Replaces the secret of a grant. For hooks without signatures, it can also require them from now on. */
export function RotateDialog({ path, grant, onClose, onRotated }: RotateDialogProperties) {
  const { grants } = texts;
  const overlapSeconds = useSignal(defaultOverlapSeconds);
  const isSigning = useSignal(false);
  const isUnsigned = 'signature' in grant && grant.signature === 'none';
  const rotate = () =>
    isSigning.value
      ? rotateToSigned(grant.id, overlapSeconds.value)
      : rotateGrant(path, grant.id, overlapSeconds.value);
  return (
    <ConfirmDialog
      title={grants.rotateTitle(grant.name)}
      text={grants.rotateText}
      label={grants.rotate}
      onConfirm={async () => onRotated(await rotate())}
      onClose={onClose}
    >
      {isUnsigned ? (
        <label class="choice">
          <input
            type="checkbox"
            checked={isSigning.value}
            onChange={({ currentTarget }) => {
              isSigning.value = currentTarget.checked;
              // Signatures protect nothing while the old address takes hooks without one.
              overlapSeconds.value = currentTarget.checked ? 0 : defaultOverlapSeconds;
            }}
          />
          {grants.requireSignatures}
        </label>
      ) : null}
      <Field
        label={grants.overlap}
        hint={isSigning.value && overlapSeconds.value > 0 ? grants.unsignedOverlap : undefined}
      >
        {({ id, hintId }) => (
          <select
            id={id}
            class="input"
            aria-describedby={hintId}
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
