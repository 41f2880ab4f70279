import { makeMatcher, parseSearch, type Searched } from '../pages/widgets/search-words.ts';
import { isUuid } from '../parts/text.ts';
import type { Schemas } from '../service/service.ts';

/** The groups of the palette with their titles. Widgets come later than the rest, and move nothing above them. */
const titles = {
  pages: 'Pages',
  actions: 'Actions',
  integrations: 'Integrations',
  streams: 'Streams',
  users: 'Users',
  widgets: 'Widgets',
  hooks: 'Hooks',
} as const;
type PaletteKind = keyof typeof titles;

/** Something that the palette offers. */
export interface PaletteEntry extends Searched {
  /** Shown beside the name. */
  readonly detail?: string;
  /** The path where it leads. */
  readonly to: string;
}

export interface PaletteGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

export interface PaletteSources {
  /** Those that the text finds, or found before a letter was added. */
  readonly widgets: readonly Schemas['Widget'][];
  readonly entries: Readonly<Partial<Record<PaletteKind, readonly PaletteEntry[]>>>;
  readonly canFindHooks: boolean;
}

export const shownOfKind = 8;
/** All of them are shown, also without a text: they are few. */
const wholeKinds: readonly string[] = ['pages', 'actions'] satisfies PaletteKind[];

/** Returns what matches the text, by kind. */
export function findGroups(text: string, { widgets, entries, canFindHooks }: PaletteSources): PaletteGroup[] {
  const search = text.trim();
  const matches = makeMatcher(parseSearch(search));
  const find = (kind: PaletteKind): readonly PaletteEntry[] => {
    if (kind === 'widgets') return toWidgetEntries(widgets.filter(matches), search);
    if (kind === 'hooks') return canFindHooks && isHookId(search) ? [toHookSearch(search)] : [];
    const found = (entries[kind] ?? []).filter(matches);
    return wholeKinds.includes(kind) ? found : found.slice(0, shownOfKind);
  };
  return (Object.keys(titles) as PaletteKind[])
    .filter((kind) => search !== '' || wholeKinds.includes(kind))
    .map((kind) => ({ title: titles[kind], entries: find(kind) }))
    .filter((group) => group.entries.length > 0);
}

/** The first ones that match, and the way to all of them. */
function toWidgetEntries(found: readonly Schemas['Widget'][], search: string): readonly PaletteEntry[] {
  const shown = found
    .slice(0, shownOfKind)
    .map(({ id, name, labels }) => ({ id, name, labels, detail: labels.join(', '), to: `/widgets/${id}` }));
  if (found.length <= shownOfKind) return shown;
  const query = new URLSearchParams({ search });
  return [...shown, { id: '', name: 'Show all in Widgets', labels: [], to: `/widgets?${query}` }];
}

/** Most senders use a prefix and a random part as `webhook-id`: `msg_2KWPBgLlAfxdpx2AI54pPJ85f4W`. */
const webhookIdPattern = /^[\w.:-]{8,256}$/;

/** Whether a text may be the event id or the `webhook-id` of a hook. */
function isHookId(text: string): boolean {
  return isUuid(text) || (webhookIdPattern.test(text) && /[\d_-]/.test(text) && !/^label:/i.test(text));
}

function toHookSearch(id: string): PaletteEntry {
  return { id, name: `Find hook “${id}”`, labels: [], to: `/hooks?${new URLSearchParams({ hook: id })}` };
}
