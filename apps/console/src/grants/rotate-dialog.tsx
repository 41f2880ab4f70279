import { useSignal } from '@preact/signals';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { CheckBox, Field, LinesField, Select } from '../parts/fields.tsx';
import { texts } from '../texts/texts.ts';
import {
  type Grant,
  type GrantPath,
  type IssuedGrant,
  rotateGrant,
  rotateSource,
  rotateToSigned,
} from './grant-kind.ts';
import { toSecrets } from './to-secrets.ts';

interface RotateDialogProperties {
  readonly path: GrantPath;
  readonly grant: Grant;
  readonly onRotated: (issued: IssuedGrant) => void;
  readonly onClose: () => void;
}

/** As long as the service itself does it. */
const defaultOverlapSeconds = 300;

/** Replaces the secret of a grant. For hooks without signatures, it can also require them from now on. */
export function RotateDialog({ path, grant, onClose, onRotated }: RotateDialogProperties) {
  const { grants } = texts;
  const overlapSeconds = useSignal(defaultOverlapSeconds);
  const isSigning = useSignal(false);
  const isUnsigned = 'signature' in grant && grant.signature === 'none';
  const hasSource = 'source' in grant && grant.source !== null;
  // Never in a draft: it is a secret.
  const secrets = useSignal('');
  const rotate = () => {
    if (hasSource) return rotateSource(grant.id, overlapSeconds.value, toSecrets(secrets.value));
    return isSigning.value
      ? rotateToSigned(grant.id, overlapSeconds.value)
      : rotateGrant(path, grant.id, overlapSeconds.value);
  };
  return (
    <ConfirmDialog
      title={grants.rotateTitle(grant.name)}
      text={grants.rotateText}
      label={grants.rotate}
      onConfirm={async () => onRotated(await rotate())}
      onClose={onClose}
    >
      {isUnsigned ? (
        <CheckBox
          label={grants.requireSignatures}
          checked={isSigning.value}
          onChange={(checked) => {
            isSigning.value = checked;
            // Signatures protect nothing while the old URL accepts hooks without one.
            overlapSeconds.value = checked ? 0 : defaultOverlapSeconds;
          }}
        />
      ) : null}
      {hasSource ? (
        <LinesField
          label={texts.sources.secrets}
          hint={texts.sources.secretsHint}
          value={secrets.value}
          onInput={(next) => (secrets.value = next)}
        />
      ) : null}
      <Field label={grants.overlap} hint={describeOverlap(overlapSeconds.value, isSigning.value)}>
        {({ id, hintId }) => (
          <Select
            id={id}
            hintId={hintId}
            options={grants.overlaps}
            value={overlapSeconds.value}
            onChange={(seconds) => (overlapSeconds.value = seconds)}
          />
        )}
      </Field>
    </ConfirmDialog>
  );
}

/** Says what happens to those who use the old secret. */
function describeOverlap(overlapSeconds: number, isSigning: boolean): string {
  const { grants } = texts;
  if (overlapSeconds === 0) return grants.noOverlapHint;
  return isSigning ? grants.unsignedOverlap : grants.overlapHint;
}
