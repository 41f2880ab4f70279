import { Copy, Pencil, RotateCcwKey, Trash2 } from 'lucide';
import { ActionMenu } from '../parts/action-menu.tsx';
import { copyId } from '../parts/copy-id.ts';
import { texts } from '../texts/texts.ts';
import type { Grant } from './grant-kind.ts';

/** What a person can ask for with a grant. Each has a dialog. */
export type GrantAction = 'edit' | 'rotate' | 'revoke';

interface GrantMenuProperties {
  readonly grant: Grant;
  readonly onAsk: (action: GrantAction) => void;
}

/** Everything that can be done with a grant. */
export function GrantMenu({ grant: { id, name }, onAsk }: GrantMenuProperties) {
  const { grants, general } = texts;
  return (
    <ActionMenu
      label={general.actionsOf(name)}
      entries={[
        { label: grants.edit, icon: Pencil, onChoose: () => onAsk('edit') },
        { label: grants.askRotate, icon: RotateCcwKey, onChoose: () => onAsk('rotate') },
        { label: general.copyId, icon: Copy, onChoose: () => void copyId(id) },
        { label: grants.askRevoke, icon: Trash2, isDangerous: true, onChoose: () => onAsk('revoke') },
      ]}
    />
  );
}
