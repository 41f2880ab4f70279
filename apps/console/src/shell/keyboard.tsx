import { signal } from '@preact/signals';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { isCommand, readKey } from '../parts/read-key.ts';
import { goTo } from '../router/address.ts';
import { may, session } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { activateShortcut } from './activate-shortcut.ts';
import { pages } from './pages.ts';
import { openPalette } from './palette.tsx';
import { isInRow, moveToRow, toggleRow } from './rows.ts';
import { takesText } from './takes-text.ts';

/** How long after `g` the second key may come, in milliseconds. */
const sequenceMs = 1_500;
let wasGoAtMs = 0;

/** Listens to the keys that work everywhere. `ShortcutsHelp` lists them. */
export function followKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (session.value === null || event.defaultPrevented) return;
    if (isCommand(event, 'k')) {
      event.preventDefault();
      openPalette();
      return;
    }
    const key = readKey(event);
    if (key === null || document.querySelector('dialog[open]') !== null) return;
    if (isTyping(event.target) ? leaveSearch(key, event.target) : press(key)) event.preventDefault();
  });
}

/** In a field, keys are text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && takesText(target);
}

/** The down arrow leads from the search of a page into its list. */
function leaveSearch(key: string, field: EventTarget | null): boolean {
  return key === 'ArrowDown' && field instanceof HTMLElement && field.matches('[data-shortcut="/"]') && moveToRow(1);
}

/** Returns whether the key means something. */
function press(key: string): boolean {
  const isSecond = Date.now() - wasGoAtMs < sequenceMs;
  wasGoAtMs = key === 'g' ? Date.now() : 0;
  if (isSecond) return goToArea(key);
  if (key === '?') {
    isHelpOpen.value = true;
    return true;
  }
  if (key === 'x') return toggleRow();
  if (key === 'j' || key === 'k') return moveToRow(key === 'j' ? 1 : -1);
  if ((key === 'ArrowDown' || key === 'ArrowUp') && isInRow()) return moveToRow(key === 'ArrowDown' ? 1 : -1);
  return key === '/' || key === 'c' ? activateShortcut(key) : false;
}

function goToArea(key: string): boolean {
  const area = pages.find(
    ({ navigation, permission }) => navigation?.key === key && (permission === null || may(permission)),
  );
  if (area !== undefined) goTo(area.path);
  return area !== undefined;
}

const isHelpOpen = signal(false);

/** The list of keys. */
export function ShortcutsHelp() {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog title={texts.keyboard.helpTitle} onClose={() => (isHelpOpen.value = false)}>
      <Facts facts={texts.keyboard.keys} />
    </Dialog>
  );
}
