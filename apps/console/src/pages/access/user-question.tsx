import { ConfirmDialog } from '../../parts/dialog.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { toPersonName } from './to-person-name.ts';

/** What is asked before it is done to a user. */
export type UserAction = 'make-admin' | 'end-sessions' | 'disable';

interface UserQuestionProperties {
  readonly action: UserAction;
  readonly user: Schemas['User'];
  /** What each action does. */
  readonly actions: Readonly<Record<UserAction, (user: Schemas['User']) => Promise<unknown>>>;
  readonly onClose: () => void;
}

/** Says what an action means for a user, and does it if the person agrees. */
export function UserQuestion({ action, user, actions, onClose }: UserQuestionProperties) {
  const { title, text, label } = texts.access.questions[action];
  return (
    <ConfirmDialog
      title={title(toPersonName(user))}
      text={text}
      label={label}
      isDangerous={action !== 'make-admin'}
      onConfirm={() => actions[action](user)}
      onClose={onClose}
    />
  );
}
