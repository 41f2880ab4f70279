import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { setLeaveGuard } from '../router/address.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface LeaveQuestionProperties {
  readonly title: string;
  /** What would be lost. */
  readonly text: string;
  readonly stayLabel: string;
  readonly leaveLabel: string;
}

/** While it is on the page, the person is asked before they leave it. The browser asks before the tab is closed. */
export function LeaveQuestion({ title, text, stayLabel, leaveLabel }: LeaveQuestionProperties) {
  const leave = useSignal<(() => void) | null>(null);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    setLeaveGuard((next) => (leave.value = next));
    window.addEventListener('beforeunload', ask);
    return () => {
      setLeaveGuard(null);
      window.removeEventListener('beforeunload', ask);
      // The reason to ask is gone while the person leaves: nothing keeps them.
      leave.peek()?.();
    };
  }, []);
  const go = leave.value;
  if (go === null) return null;
  const stay = () => (leave.value = null);
  return (
    <Dialog title={title} onClose={stay}>
      <p>{text}</p>
      <div class="dialog-actions">
        <Button
          onClick={() => {
            leave.value = null;
            go();
          }}
        >
          {leaveLabel}
        </Button>
        <Button kind="primary" onClick={stay}>
          {stayLabel}
        </Button>
      </div>
    </Dialog>
  );
}
