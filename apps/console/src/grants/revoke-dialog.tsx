import { ConfirmDialog } from '../parts/dialog.tsx';
import { showToast } from '../parts/messages.tsx';
import { texts } from '../texts/texts.ts';
import { type Grant, type GrantPath, revokeGrant } from './grant-kind.ts';

interface RevokeDialogProperties {
  readonly path: GrantPath;
  readonly grant: Pick<Grant, 'id' | 'name'>;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

/** Ends a grant for good. */
export function RevokeDialog({ path, grant: { id, name }, onRevoked, onClose }: RevokeDialogProperties) {
  const { grants } = texts;
  return (
    <ConfirmDialog
      title={grants.revokeTitle(name)}
      text={grants.revokeText}
      label={grants.revoke}
      isDangerous
      onConfirm={async () => {
        await revokeGrant(path, id);
        showToast(grants.revoked(name));
        onRevoked();
      }}
      onClose={onClose}
    />
  );
}
