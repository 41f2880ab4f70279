import type { ComponentChildren } from 'preact';
import { useAction } from '../service/use-action.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNotice } from './problem-notice.tsx';

interface ConfirmDialogProperties {
  readonly title: string;
  /** What will happen. */
  readonly text: string;
  /** Names the action: “Revoke”, not “OK”. */
  readonly label: string;
  readonly isDangerous?: boolean;
  readonly children?: ComponentChildren;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone, does it, and closes when it is done. */
export function ConfirmDialog(properties: ConfirmDialogProperties) {
  const { title, text, label, isDangerous = false, children, onConfirm, onClose } = properties;
  const action = useAction(async () => {
    await onConfirm();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {children}
      <ProblemNotice error={action.error.value} />
      <div class="dialog-actions">
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button
          kind={isDangerous ? 'danger' : 'primary'}
          isBusy={action.isRunning.value}
          onClick={() => void action.run()}
        >
          {label}
        </Button>
      </div>
    </Dialog>
  );
}
