import { signal, useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useId } from 'preact/hooks';
import { rows } from '../live/shared-widgets.ts';
import { Dialog } from '../parts/dialog.tsx';
import { isComposing } from '../parts/read-key.ts';
import { nameTimeZone, timeZone, timeZones } from '../parts/time-zone.ts';
import { goTo } from '../router/address.ts';
import { may } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { pages } from './pages.ts';
import { findEntries, type PaletteEntry } from './palette-entries.ts';
import { theme, themes } from './theme.ts';

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** Leads to every page, action and widget by a few letters. */
export function Palette() {
  return isOpen.value ? <OpenPalette onClose={() => (isOpen.value = false)} /> : null;
}

function OpenPalette({ onClose }: { readonly onClose: () => void }) {
  const { keyboard } = texts;
  const text = useSignal('');
  const active = useSignal(0);
  const listId = useId();
  const entries = findEntries(text.value, listFixedEntries(), rows.value, (id) => goTo(`/widgets/${id}`));
  const index = Math.min(active.value, entries.length - 1);
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.choose();
  };
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    // With an input method, these keys choose among its own suggestions.
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') active.value = Math.min(index + 1, entries.length - 1);
    else if (event.key === 'ArrowUp') active.value = Math.max(index - 1, 0);
    else if (event.key === 'Enter') choose(entries[index]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={keyboard.paletteTitle} onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label={keyboard.paletteSearch}
        placeholder={keyboard.paletteSearch}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={entries.length === 0 ? undefined : `${listId}-${index}`}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={press}
      />
      <div
        id={listId}
        class="palette"
        role="listbox"
        aria-label={keyboard.paletteResults}
        tabIndex={-1}
        // Only a pointer that moves: a list that changes under a resting one keeps its selection.
        onMouseMove={({ target }) => (active.value = readIndex(target) ?? index)}
        onMouseDown={({ target }) => choose(entries[readIndex(target) ?? -1])}
      >
        {entries.map(({ key, kind, label }, position) => (
          <div
            key={key}
            id={`${listId}-${position}`}
            class="palette-entry"
            role="option"
            tabIndex={-1}
            data-index={position}
            aria-selected={position === index}
          >
            <span dir="auto">{label}</span>
            <span class="muted small">{keyboard.kinds[kind]}</span>
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {entries.length === 0 ? keyboard.paletteNone : ''}
      </p>
    </Dialog>
  );
}

/** The index of the entry at the pointer, or null beside the entries. */
function readIndex(target: EventTarget | null): number | null {
  const option = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  return option === null ? null : Number(option.dataset.index);
}

/** The pages that this user may see, the actions on this page, and the colours. */
function listFixedEntries(): PaletteEntry[] {
  const shown = pages.filter(({ path, permission }) => !path.includes(':') && (permission === null || may(permission)));
  const create = document.querySelector<HTMLButtonElement>('[data-shortcut="c"]');
  return [
    ...shown.map(({ path, title }) => ({ key: path, kind: 'page' as const, label: title, choose: () => goTo(path) })),
    ...(create === null
      ? []
      : [{ key: 'create', kind: 'action' as const, label: create.textContent ?? '', choose: () => create.click() }]),
    ...themes.map((name) => ({
      key: `theme-${name}`,
      kind: 'action' as const,
      label: `${texts.general.theme}: ${texts.general.themeNames[name]}`,
      choose: () => {
        theme.value = name;
      },
    })),
    ...timeZones.map((zone) => ({
      key: `times-${zone}`,
      kind: 'action' as const,
      label: texts.general.timesIn(nameTimeZone(zone)),
      choose: () => {
        timeZone.value = zone;
      },
    })),
  ];
}
