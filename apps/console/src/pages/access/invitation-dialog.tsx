import { Button, CopyButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Code } from '../../parts/facts.tsx';
import { consoleRoot } from '../../service/page-settings.ts';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { toPersonName } from './to-person-name.ts';

/** A new user, with the password that an admin chose. */
export interface Invitation {
  readonly user: Schemas['User'];
  readonly password: string;
}

interface InvitationDialogProperties {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** Shows once what the new user needs to sign in. Only its button closes it: the password is nowhere else. */
export function InvitationDialog({ invitation: { user, password }, onClose }: InvitationDialogProperties) {
  const { access, general } = texts;
  const name = toPersonName(user);
  const message = access.invitation(consoleRoot.href, user.email, password);
  return (
    <Dialog title={access.createdUser(name)} onClose={onClose} canDismiss={false}>
      <p class="notice notice-warning">{access.invitationText}</p>
      <Code>{message}</Code>
      <div class="dialog-actions">
        <CopyButton text={message} label={access.copyInvitation(name)} />
        <Button kind="primary" onClick={onClose}>
          {general.done}
        </Button>
      </div>
    </Dialog>
  );
}
