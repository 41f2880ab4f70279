import { useSignal } from '@preact/signals';
import { Ellipsis, type IconNode } from 'lucide';
import type { TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
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
    const closeUnlessOwn = ({ target }: Event) => {
      if (target !== menu.current) close();
    };
    // The browser shows it only after the event by which it says so, but before the next frame.
    const frame = requestAnimationFrame(() => {
      open(button.current, menu.current);
      // From now on it stands at its place of the window, and the button would move away from it. The browser has told
      // of each scrolling before, such as that to the focused button.
      window.addEventListener('scroll', closeUnlessOwn, true);
      window.addEventListener('resize', close);
    });
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

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle of the window, in pixels from its corner at the top left. */
type Box = Readonly<Record<'top' | 'bottom' | 'right', number>>;

const gap = 4;
const margin = 8;

/**
 * Returns where a menu opens: below its button and flush with the button's right edge, or above it if there is more
 * room. It never leaves the window on the left or at the top.
 */
export function placeMenu(button: Box, menu: Size, windowSize: Size): { readonly left: number; readonly top: number } {
  const roomBelow = windowSize.height - margin - (button.bottom + gap);
  const roomAbove = button.top - gap - margin;
  const isAbove = menu.height > roomBelow && roomAbove > roomBelow;
  const top = isAbove ? button.top - gap - menu.height : button.bottom + gap;
  const left = Math.min(button.right, windowSize.width - margin) - menu.width;
  return { left: Math.max(left, margin), top: Math.max(top, margin) };
}
