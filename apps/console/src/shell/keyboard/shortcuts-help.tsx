import { signal } from '@preact/signals';
import { Dialog } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { texts } from '../../texts/texts.ts';

const isOpen = signal(false);

export function openShortcutsHelp(): void {
  isOpen.value = true;
}

/** The list of keys. */
export function ShortcutsHelp() {
  if (!isOpen.value) return null;
  return (
    <Dialog title={texts.keyboard.helpTitle} onClose={() => (isOpen.value = false)}>
      <Facts facts={texts.keyboard.keys} />
    </Dialog>
  );
}
