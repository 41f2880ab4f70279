import { signal, useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { useWidgetsByText } from '../pages/widgets/find-widgets.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Option, useOptions } from '../parts/options.tsx';
import { isCommand, isComposing, isSign } from '../parts/read-key.ts';
import { goTo } from '../router/router.tsx';
import { api } from '../service/service.ts';
import { may, session } from '../session/session.ts';
import { listPages } from './pages.ts';
import { findGroups, type PaletteEntry, type PaletteSources, shownOfKind } from './palette-search.ts';

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** In these, `/` is text, or finds an option. */
const fieldSelector = 'input:not([type="checkbox"], [type="radio"]), textarea, select';

/** Listens to the keys that work everywhere: `Ctrl K` opens the palette, and `/` leads to the search of the page. */
export function followKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (session.value === null || event.defaultPrevented) return;
    const isDialogOpen = document.querySelector('dialog[open]') !== null;
    if (isCommand(event, 'k')) {
      event.preventDefault();
      // What it leads to could replace the dialog, and with it a secret that is shown once.
      if (!isDialogOpen) openPalette();
      return;
    }
    const isTyping = event.target instanceof HTMLElement && event.target.matches(fieldSelector);
    if (!isSign(event, '/') || isTyping || isDialogOpen) return;
    const search = document.querySelector<HTMLElement>('[data-shortcut="/"]');
    if (search === null) return;
    event.preventDefault();
    search.focus();
  });
}

/** Leads to every page, action and thing by a few letters. */
export function Palette() {
  return isOpen.value ? <OpenPalette onClose={() => (isOpen.value = false)} /> : null;
}

function OpenPalette({ onClose }: { readonly onClose: () => void }) {
  const text = useSignal('');
  const { groups, isSearching } = useGroups(text.value);
  const entries = groups.flatMap((group) => group.entries);
  const options = useOptions(entries.length);
  const { listId, index, activeId = '' } = options;
  useLayoutEffect(() => document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' }), [activeId]);
  const choose = (option: PaletteEntry | undefined) => {
    if (option === undefined) return;
    onClose();
    goTo(option.to);
  };
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    // With an input method, these keys choose among its own suggestions.
    if (isComposing(event)) return;
    if (event.key === 'Enter') choose(entries[index]);
    else if (!options.press(event.key)) return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search or go to" onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label="Name, label, id, page or action"
        placeholder="Name, label, id, page or action"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={options.activeId}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          options.moveTo(0);
        }}
        onKeyDown={press}
      />
      <div id={listId} class="palette" role="listbox" aria-label="Matches" tabIndex={-1}>
        {groups.map(({ title, entries: shown }) => (
          // biome-ignore lint/a11y/useSemanticElements: a list box may contain this role, but no fieldset.
          <div key={title} role="group" aria-labelledby={`${listId}-${title}`}>
            <div id={`${listId}-${title}`} class="palette-group" role="presentation">
              {title}
            </div>
            {shown.map((entry) => (
              <Option
                key={entries.indexOf(entry)}
                of={options}
                at={entries.indexOf(entry)}
                class="palette-entry"
                onChoose={() => choose(entry)}
              >
                <span class="palette-name" dir="auto">
                  {entry.name}
                </span>
                {(entry.detail ?? '') === '' ? null : (
                  <span class="palette-detail" dir="auto">
                    {entry.detail}
                  </span>
                )}
              </Option>
            ))}
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {entries.length === 0 && !isSearching ? 'No matches' : ''}
      </p>
    </Dialog>
  );
}

/** What the text finds. The widgets come a moment later than the rest. */
function useGroups(text: string) {
  const places = usePlaces();
  const fixed = useMemo(() => {
    const shown = listPages().map(({ path, title }) => toPlace(title, path));
    return { pages: shown, actions: listActions() };
  }, []);
  const sought = may('widgets:read') ? text.trim() : '';
  // One more tells that there are more.
  const { items, isDone } = useWidgetsByText(sought, shownOfKind + 1);
  const groups = useMemo(() => {
    const sources = { widgets: items, entries: { ...fixed, ...places }, canFindHooks: may('integrations:manage') };
    return findGroups(text, sources);
  }, [text, places, items]);
  return { groups, isSearching: sought !== '' && !isDone };
}

const toPlace = (name: string, to: string): PaletteEntry => ({ id: '', name, labels: [], to });

/** What can be created: the page where, and who may. The button of the page has `data-creates`. */
const creations = [
  ['/widgets', 'Create widget', 'widgets:create'],
  ['/hooks', 'Create integration', 'integrations:manage'],
  ['/streams', 'Create subscription', 'subscriptions:manage'],
  ['/access/tokens', 'Create provision token', 'tokens:manage'],
  ['/access/users', 'Create user', 'users:manage'],
] as const;

/** What this user may create. The address has the page open the form: see `shell.tsx`. */
function listActions(): PaletteEntry[] {
  return creations.filter(([, , permission]) => may(permission)).map(([path, name]) => toPlace(name, `${path}?new`));
}

/** The lists of the service whose items are found, by their kind. */
const placeSources = {
  integrations: ['/api/v1/integrations', 'integrations:manage', (id: string) => `/hooks/${id}`],
  streams: ['/api/v1/subscriptions', 'subscriptions:manage', (id: string) => `/streams/${id}`],
  users: ['/api/v1/users', 'users:manage', () => '/access/users'],
} as const;

interface ReadPlace {
  readonly id: string;
  readonly name: string | null;
  readonly email?: string;
}

const pageSize = 200;
/** So 1 000 of each kind are found. */
const mostPages = 5;

/** Reads the places that this user may see, while the palette is open. A kind that cannot be read is not offered. */
function usePlaces(): PaletteSources['entries'] {
  const places = useSignal<PaletteSources['entries']>({});
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    const readKind = async (kind: keyof typeof placeSources) => {
      const [path, permission, to] = placeSources[kind];
      if (!may(permission)) return;
      const entries: PaletteEntry[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const { items, hasNext } = await api.GET(path, { params: { query: { page, pageSize } }, signal });
        if (signal.aborted) return;
        entries.push(...items.map((item: ReadPlace) => toEntry(item, to)));
        places.value = { ...places.peek(), [kind]: [...entries] };
        if (!hasNext) return;
      }
    };
    for (const kind of ['integrations', 'streams', 'users'] as const) readKind(kind).catch(() => undefined);
    return () => closing.abort();
  }, []);
  return places.value;
}

function toEntry({ id, name, email = '' }: ReadPlace, to: (id: string) => string): PaletteEntry {
  return { id, name: name ?? email, labels: [email], detail: name === null ? '' : email, to: to(id) };
}
