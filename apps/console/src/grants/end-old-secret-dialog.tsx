import { ConfirmDialog } from '../parts/dialog.tsx';
import { showToast } from '../parts/messages.tsx';
import { texts } from '../texts/texts.ts';
import { endOldSecret, type Grant, type GrantPath } from './grant-kind.ts';

interface EndOldSecretDialogProperties {
  readonly path: GrantPath;
  readonly grant: Pick<Grant, 'id' | 'name'>;
  readonly onEnded: () => void;
  readonly onClose: () => void;
}

/** Ends the secret from before the last rotation. The current one stays. */
export function EndOldSecretDialog({ path, grant: { id, name }, onEnded, onClose }: EndOldSecretDialogProperties) {
  const { grants } = texts;
  return (
    <ConfirmDialog
      title={grants.endOldTitle(name)}
      text={grants.endOldText}
      label={grants.endOld}
      isDangerous
      onConfirm={async () => {
        await endOldSecret(path, id);
        showToast(grants.oldEnded);
        onEnded();
      }}
      onClose={onClose}
    />
  );
}
