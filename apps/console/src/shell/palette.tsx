import { signal, useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useMemo } from 'preact/hooks';
import { liveState, rows } from '../live/shared-widgets.ts';
import { parseSearch, splitMatches } from '../pages/widgets/search-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Marked } from '../parts/marked.tsx';
import { isComposing } from '../parts/read-key.ts';
import { goTo, path } from '../router/address.ts';
import { may } from '../session/session.ts';
import { visits } from '../session/visits.ts';
import { texts } from '../texts/texts.ts';
import { listActions, listPages } from './palette-actions.ts';
import { usePlaces } from './palette-places.ts';
import { findGroups, type PaletteEntry, type PaletteGroup } from './palette-search.ts';

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** Leads to every page, action and thing by a few letters. */
export function Palette() {
  return isOpen.value ? <OpenPalette onClose={() => (isOpen.value = false)} /> : null;
}

function OpenPalette({ onClose }: { readonly onClose: () => void }) {
  const { keyboard } = texts;
  const text = useSignal('');
  const active = useSignal(0);
  const listId = useId();
  const groups = useGroups(text.value);
  const { words } = parseSearch(text.value);
  const options = groups.flatMap(listOptions);
  const index = Math.max(0, Math.min(active.value, options.length - 1));
  const activeId = `${listId}-${index}`;
  useLayoutEffect(() => document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' }), [activeId]);
  const choose = (option: PaletteEntry | undefined) => {
    if (option === undefined) return;
    onClose();
    if (typeof option.target === 'string') goTo(option.target);
    else option.target();
  };
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    // With an input method, these keys choose among its own suggestions.
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') active.value = Math.min(index + 1, options.length - 1);
    else if (event.key === 'ArrowUp') active.value = Math.max(index - 1, 0);
    else if (event.key === 'Enter') choose(options[index]);
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
        aria-activedescendant={options.length === 0 ? undefined : activeId}
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
        onMouseDown={({ target, button }) => (button === 0 ? choose(options[readIndex(target) ?? -1]) : undefined)}
      >
        {groups.map((group, position) => (
          <Group
            key={group.kind}
            group={group}
            words={words}
            listId={listId}
            first={groups.slice(0, position).flatMap(listOptions).length}
            active={index}
          />
        ))}
      </div>
      <p class="hint" role="status">
        {options.length === 0 ? keyboard.paletteNone : ''}
      </p>
    </Dialog>
  );
}

interface OptionGroup extends PaletteGroup {
  /** Leads to the rest, or null. */
  readonly more: PaletteEntry | null;
}

const listOptions = ({ entries, more }: OptionGroup): PaletteEntry[] =>
  more === null ? [...entries] : [...entries, more];

/** What the text finds. The widgets are those at the last key, so that nothing moves while a person reads. */
function useGroups(text: string): readonly OptionGroup[] {
  const places = usePlaces();
  const fixed = useMemo(() => ({ recent: listVisits(), pages: listPages(), actions: listActions() }), []);
  const isLoaded = liveState.value !== 'loading';
  return useMemo(() => {
    const findHook = may('integrations:manage') ? toFindHook : null;
    const found = findGroups(text, { widgets: rows.peek(), entries: { ...fixed, ...places }, findHook });
    return found.map((group) => ({ ...group, more: toMore(group, text) }));
  }, [text, places, isLoaded]);
}

function listVisits(): PaletteEntry[] {
  const others = visits.peek().filter((visit) => visit.path !== path.peek());
  return others.map(({ path: target, title }) => ({ id: '', name: title, labels: [], target }));
}

function toFindHook(id: string): PaletteEntry {
  return { id, name: texts.keyboard.findHook(id), labels: [], target: `/hooks?${new URLSearchParams({ hook: id })}` };
}

/** Where all that match are listed. */
function toMore({ kind, entries, total }: PaletteGroup, text: string): PaletteEntry | null {
  if (kind !== 'widgets' || total <= entries.length) return null;
  const name = texts.keyboard.showAllWidgets(entries.length, total);
  return { id: '', name, labels: [], target: `/widgets?${new URLSearchParams({ search: text.trim() })}` };
}

interface GroupProperties {
  readonly group: OptionGroup;
  readonly words: readonly string[];
  readonly listId: string;
  /** The place of its first option among those of all groups. */
  readonly first: number;
  /** The place of the active option. */
  readonly active: number;
}

function Group({ group, words, listId, first, active }: GroupProperties) {
  const { kind, entries, more, total } = group;
  const { keyboard } = texts;
  const isCut = more === null && total > entries.length;
  const titleId = `${listId}-${kind}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list box may contain this role, but no fieldset.
    <div role="group" aria-labelledby={titleId}>
      <div id={titleId} class="palette-group" role="presentation">
        {keyboard.kinds[kind]}
        {isCut ? ` · ${keyboard.shownOf(entries.length, total)}` : ''}
      </div>
      {listOptions(group).map((option, position) => (
        <div
          key={position}
          id={`${listId}-${first + position}`}
          class="palette-entry"
          role="option"
          tabIndex={-1}
          data-index={first + position}
          aria-selected={first + position === active}
        >
          <span class="palette-name" dir="auto">
            <Marked parts={splitMatches(option.name, option === more ? [] : words)} />
          </span>
          {option.detail === undefined || option.detail === '' ? null : (
            <span class="palette-detail" dir="auto">
              <Marked parts={splitMatches(option.detail, words)} />
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** The index of the option at the pointer, or null beside the options. */
function readIndex(target: EventTarget | null): number | null {
  const option = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  return option === null ? null : Number(option.dataset.index);
}
