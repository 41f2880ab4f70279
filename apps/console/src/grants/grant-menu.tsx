import { Copy, Pencil, RotateCcwKey, TimerOff, Trash2 } from 'lucide';
import { ActionMenu } from '../parts/action-menu.tsx';
import { copyId } from '../parts/copy-id.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { texts } from '../texts/texts.ts';
import { type Grant, hasOldSecret } from './grant-kind.ts';

/** What a person can ask for with a grant. Each has a dialog. */
export type GrantAction = 'edit' | 'rotate' | 'end-old' | 'revoke';

interface GrantMenuProperties {
  readonly grant: Grant;
  readonly onAsk: (action: GrantAction) => void;
}

/** Everything that can be done with a grant. */
export function GrantMenu({ grant, onAsk }: GrantMenuProperties) {
  const { grants, general } = texts;
  const endOld = { label: grants.askEndOld, icon: TimerOff, isDangerous: true, onChoose: () => onAsk('end-old') };
  return (
    <ActionMenu
      label={general.actionsOf(grant.name)}
      entries={[
        { label: grants.edit, icon: Pencil, onChoose: () => onAsk('edit') },
        { label: grants.askRotate, icon: RotateCcwKey, onChoose: () => onAsk('rotate') },
        { label: general.copyId, icon: Copy, onChoose: () => void copyId(grant.id) },
        ...(hasOldSecret(grant, readServiceMs()) ? [endOld] : []),
        { label: grants.askRevoke, icon: Trash2, isDangerous: true, onChoose: () => onAsk('revoke') },
      ]}
    />
  );
}
