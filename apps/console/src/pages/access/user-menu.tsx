import { Ban, Copy, LockOpen, LogOut, UserCheck } from 'lucide';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { copyId } from '../../parts/copy-id.ts';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { toPersonName } from './to-person-name.ts';
import type { UserAction } from './user-question.tsx';

interface UserMenuProperties {
  readonly user: Schemas['User'];
  readonly onUnlock: () => void;
  readonly onEnable: () => void;
  readonly onAsk: (action: UserAction) => void;
}

/** What an admin can do to another user. */
export function UserMenu({ user, onUnlock, onEnable, onAsk }: UserMenuProperties) {
  const { access, general } = texts;
  const disable = { label: access.askDisable, icon: Ban, isDangerous: true, onChoose: () => onAsk('disable') };
  const enable = { label: access.enable, icon: UserCheck, onChoose: onEnable };
  return (
    <ActionMenu
      label={general.actionsOf(toPersonName(user))}
      entries={[
        ...(user.disabled ? [enable] : []),
        // Who has no password has no failed sign-ins.
        ...(user.identity === null ? [{ label: access.unlock, icon: LockOpen, onChoose: onUnlock }] : []),
        { label: general.copyId, icon: Copy, onChoose: () => void copyId(user.id) },
        { label: access.askEndSessions, icon: LogOut, isDangerous: true, onChoose: () => onAsk('end-sessions') },
        ...(user.disabled ? [] : [disable]),
      ]}
    />
  );
}
