import { type Signal, useSignal } from '@preact/signals';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { CheckBox, Field, LinesField, Select } from '../parts/fields.tsx';
import { RadioGroup } from '../parts/radio-group.tsx';
import { readServiceMs } from '../service/service-clock.ts';
import { texts } from '../texts/texts.ts';
import { CutOffStreams } from './cut-off-streams.tsx';
import {
  type Grant,
  type GrantPath,
  hasOldSecret,
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

type Reason = 'routine' | 'leaked';
const reasons = Object.entries(texts.grants.reasons).map(
  ([reason, [name, hint]]) => [reason as Reason, name, hint] as const,
);

/** The longest one: the holder has a day to switch. */
const routineOverlapSeconds = 86_400;

/** Replaces the secret of a grant. For hooks without signatures, it can also require them from now on. */
export function RotateDialog({ path, grant, onClose, onRotated }: RotateDialogProperties) {
  const { grants } = texts;
  const reason = useSignal<Reason>('routine');
  const routineSeconds = useSignal(routineOverlapSeconds);
  const isSigning = useSignal(false);
  const isUnsigned = 'signature' in grant && grant.signature === 'none';
  const hasSource = 'source' in grant && grant.source !== null;
  // Never in a draft: it is a secret.
  const secrets = useSignal('');
  const isLeaked = reason.value === 'leaked';
  const overlapSeconds = isLeaked ? 0 : routineSeconds.value;
  const rotate = () => {
    if (hasSource) return rotateSource(grant.id, overlapSeconds, toSecrets(secrets.value));
    return isSigning.value ? rotateToSigned(grant.id, overlapSeconds) : rotateGrant(path, grant.id, overlapSeconds);
  };
  return (
    <ConfirmDialog
      title={grants.rotateTitle(grant.name)}
      text={grants.rotateText}
      label={grants.rotate}
      isDangerous={overlapSeconds === 0}
      onConfirm={async () => onRotated(await rotate())}
      onClose={onClose}
    >
      <RadioGroup
        label={grants.why}
        options={reasons}
        value={reason.value}
        onChange={(next) => (reason.value = next)}
      />
      {isUnsigned ? (
        <CheckBox
          label={grants.requireSignatures}
          checked={isSigning.value}
          onChange={(checked) => {
            isSigning.value = checked;
            // Signatures protect nothing while the old URL accepts hooks without one.
            routineSeconds.value = checked ? 0 : routineOverlapSeconds;
          }}
        />
      ) : null}
      {hasSource ? (
        <LinesField
          isSecret
          label="Secrets"
          hint="One per line. They are never shown again."
          value={secrets.value}
          onInput={(next) => (secrets.value = next)}
        />
      ) : null}
      {isLeaked ? null : <OverlapField seconds={routineSeconds} isSigning={isSigning.value} />}
      {!isLeaked && hasOldSecret(grant, readServiceMs()) ? <p class="hint">{grants.olderEnds}</p> : null}
      {overlapSeconds === 0 ? (
        <div class="notice notice-warning">
          <p>{grants.noOverlap}</p>
          {'filter' in grant ? <CutOffStreams subscriptionId={grant.id} /> : null}
        </div>
      ) : null}
    </ConfirmDialog>
  );
}

interface OverlapFieldProperties {
  readonly seconds: Signal<number>;
  readonly isSigning: boolean;
}

/** How long the old secret keeps working. */
function OverlapField({ seconds, isSigning }: OverlapFieldProperties) {
  const { grants } = texts;
  const hint = isSigning ? grants.unsignedOverlap : grants.overlapHint;
  return (
    <Field label={grants.overlap} {...(seconds.value === 0 ? {} : { hint })}>
      {({ id, hintId }) => (
        <Select
          id={id}
          hintId={hintId}
          options={grants.overlaps}
          value={seconds.value}
          onChange={(next) => (seconds.value = next)}
        />
      )}
    </Field>
  );
}
