import { useSignal } from '@preact/signals';
import { Ellipsis, type IconNode } from 'lucide';
import type { TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { findMenuEntry } from './find-menu-entry.ts';
import { Icon } from './icon.tsx';
import { placeMenu } from './place-menu.ts';
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
 * A button with three dots that opens a menu. The menu is a popover of the browser: a table does not cut it off, and
 * Escape or a click beside it closes it. Then the button has the focus again.
 */
export function ActionMenu({ label, entries }: ActionMenuProperties) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  const close = () => menu.current?.hidePopover();
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    // The browser shows it only after the event by which it says so, but before the next frame.
    const frame = requestAnimationFrame(() => open(button.current, menu.current));
    const closeUnlessOwn = ({ target }: Event) => {
      if (target !== menu.current) close();
    };
    // It stands at its place of the window, and the button would move away from it.
    window.addEventListener('scroll', closeUnlessOwn, true);
    window.addEventListener('resize', close);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', closeUnlessOwn, true);
      window.removeEventListener('resize', close);
    };
  }, [isOpen.value]);
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
        onKeyDown={(event) => moveInMenu(event, entries, close)}
      >
        {isOpen.value
          ? entries.map((entry) => <MenuItem key={entry.label} {...entry} onChoose={() => choose(entry)} />)
          : null}
      </div>
    </>
  );
}

/** Puts the menu beside its button, and the focus on its first entry. */
function open(button: HTMLElement | null, menu: HTMLElement | null): void {
  if (button === null || menu === null) return;
  const { offsetWidth: width, offsetHeight: height } = menu;
  const windowSize = { width: document.documentElement.clientWidth, height: window.innerHeight };
  const { left, top } = placeMenu(button.getBoundingClientRect(), { width, height }, windowSize);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
  listItems(menu)[0]?.focus({ preventScroll: true });
}

function MenuItem({ label, icon, isDangerous = false, onChoose }: MenuEntry) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      class={isDangerous ? 'menu-item menu-item-danger' : 'menu-item'}
      onClick={onChoose}
    >
      <Icon of={icon} />
      {label}
    </button>
  );
}

function moveInMenu(
  event: TargetedKeyboardEvent<HTMLDivElement>,
  entries: readonly MenuEntry[],
  close: () => void,
): void {
  if (isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  // The button gets the focus, and the key moves it on from there.
  if (event.key === 'Tab') close();
  // These close the menu or press the entry. No other key means here what it means on the page.
  if (['Tab', 'Escape', 'Enter', ' '].includes(event.key)) return;
  event.preventDefault();
  const items = listItems(event.currentTarget);
  const current = items.findIndex((item) => item.contains(document.activeElement));
  const next = findMenuEntry(
    event.key,
    entries.map(({ label }) => label),
    current,
  );
  if (next !== null) items[next]?.focus();
}

function listItems(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}
