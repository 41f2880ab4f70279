import { useSignal } from '@preact/signals';
import { Ellipsis, type IconNode } from 'lucide';
import type { TargetedKeyboardEvent } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon } from './button.tsx';
import { isComposing } from './read-key.ts';

export interface MenuEntry {
  readonly label: string;
  readonly icon: IconNode;
  /** Red: it cannot be undone, or it cuts somebody off. Such entries are the last ones. */
  readonly isDangerous?: boolean;
  readonly onChoose: () => void;
}

interface ActionMenuProperties {
  /** The accessible name: `Actions of Factory`. */
  readonly label: string;
  readonly entries: readonly MenuEntry[];
}

/**
 * A button with three dots that opens a menu. The menu is a popover of the browser: a table does not cut it off, the
 * browser keeps it beside its button, and Escape or a click elsewhere closes it. Then the button has the focus again.
 */
export function ActionMenu({ label, entries }: ActionMenuProperties) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  const close = () => menu.current?.hidePopover();
  const noteToggle = (isOpening: boolean) => {
    isOpen.value = isOpening;
    const { activeElement } = document;
    const hadFocus = activeElement === document.body || menu.current?.contains(activeElement) === true;
    if (!isOpening && hadFocus) button.current?.focus();
  };
  const choose = ({ onChoose }: MenuEntry) => {
    // First, so that what opens now gives the focus back to the button.
    close();
    onChoose();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        popoverTarget={id}
      >
        <Icon of={Ellipsis} />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        onBeforeToggle={({ newState }) => noteToggle(newState === 'open')}
        onToggle={({ currentTarget, newState }) => {
          if (newState === 'open') listItems(currentTarget)[0]?.focus({ preventScroll: true });
        }}
        onKeyDown={(event) => moveInMenu(event, close)}
      >
        {(isOpen.value ? entries : []).map((entry) => (
          <button
            key={entry.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={entry.isDangerous === true ? 'menu-item menu-item-danger' : 'menu-item'}
            onClick={() => choose(entry)}
          >
            <Icon of={entry.icon} />
            {entry.label}
          </button>
        ))}
      </div>
    </>
  );
}

function moveInMenu(event: TargetedKeyboardEvent<HTMLDivElement>, close: () => void): void {
  if (isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  // The button gets the focus, and the key moves it on from there.
  if (event.key === 'Tab') close();
  // These close the menu or press the entry. No other key means here what it means on the page.
  if (['Tab', 'Escape', 'Enter', ' '].includes(event.key)) return;
  event.preventDefault();
  const items = listItems(event.currentTarget);
  const current = items.findIndex((item) => item.contains(document.activeElement));
  const labels = items.map(({ textContent }) => textContent);
  const next = findMenuEntry(event.key, labels, current);
  if (next !== null) items[next]?.focus();
}

function listItems(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}

/**
 * Returns the index of the menu entry that a key leads to, or null if the key means nothing in a menu. The arrow keys
 * go round. A letter leads to the next entry that begins with it.
 */
export function findMenuEntry(key: string, labels: readonly string[], current: number): number | null {
  const count = labels.length;
  if (key === 'ArrowDown') return (current + 1) % count;
  if (key === 'ArrowUp') return (Math.max(current, 0) + count - 1) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if ([...key].length !== 1) return null;
  const following = labels.map((_, step) => (current + 1 + step) % count);
  return following.find((index) => labels[index]?.toLowerCase().startsWith(key.toLowerCase())) ?? null;
}
