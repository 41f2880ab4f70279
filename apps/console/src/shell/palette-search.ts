import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { makeMatcher, parseSearch, type Searched } from '../pages/widgets/search-words.ts';
import { filterWidgets } from '../pages/widgets/shown-widgets.ts';
import { isUuid } from '../parts/is-uuid.ts';
import { keptVisits } from '../session/kept-visits.ts';

/** The groups of the palette, in their order. */
const paletteKinds = ['recent', 'pages', 'actions', 'widgets', 'integrations', 'streams', 'users', 'hooks'] as const;
type PaletteKind = (typeof paletteKinds)[number];

/** Something that the palette offers. */
export interface PaletteEntry extends Searched {
  /** Shown beside the name. */
  readonly detail?: string;
  /** Where it leads, or what it does. */
  readonly target: string | (() => void);
}

export interface PaletteGroup {
  readonly kind: PaletteKind;
  readonly entries: readonly PaletteEntry[];
  /** How many match in all. */
  readonly total: number;
}

export interface PaletteSources {
  readonly widgets: readonly LiveWidget[];
  readonly entries: Readonly<Partial<Record<PaletteKind, readonly PaletteEntry[]>>>;
  /** Null: this user may not find hooks. */
  readonly findHook: ((id: string) => PaletteEntry) | null;
}

const shownOfKind = 8;
/** Without a text, these are offered. */
const kindsAtFirst: readonly PaletteKind[] = ['recent', 'pages', 'actions'];
/** Their entries are few, and all are shown. */
const wholeKinds: readonly PaletteKind[] = ['pages', 'actions'];

/** Returns what matches the text, by kind. What was looked at last is offered first, and not again. */
export function findGroups(text: string, { widgets, entries, findHook }: PaletteSources): PaletteGroup[] {
  const search = text.trim();
  const matches = makeMatcher(parseSearch(search));
  const recent = (entries.recent ?? []).filter(matches);
  const isNew = ({ target }: PaletteEntry) => !recent.some((entry) => entry.target === target);
  const findOfKind = (kind: PaletteKind): Omit<PaletteGroup, 'kind'> => {
    if (kind === 'recent') return { entries: recent, total: recent.length };
    if (kind === 'widgets') return findWidgets(widgets, search, isNew);
    const hook = kind === 'hooks' && findHook !== null && isHookId(search) ? [findHook(search)] : [];
    const found = kind === 'hooks' ? hook : (entries[kind] ?? []).filter((entry) => matches(entry) && isNew(entry));
    return { entries: wholeKinds.includes(kind) ? found : found.slice(0, shownOfKind), total: found.length };
  };
  return paletteKinds
    .filter((kind) => search !== '' || kindsAtFirst.includes(kind))
    .map((kind) => ({ kind, ...findOfKind(kind) }))
    .filter((group) => group.entries.length > 0);
}

/** Only those that are shown become entries: there may be 100 000 others. */
function findWidgets(widgets: readonly LiveWidget[], text: string, isNew: (entry: PaletteEntry) => boolean) {
  const found = filterWidgets(widgets, { text, state: null });
  const candidates = found.slice(0, shownOfKind + keptVisits).map(toWidgetEntry);
  return { entries: candidates.filter(isNew).slice(0, shownOfKind), total: found.length };
}

/** Most senders use a prefix and a random part as `webhook-id`: `msg_2KWPBgLlAfxdpx2AI54pPJ85f4W`. */
const webhookIdPattern = /^[\w.:-]{8,256}$/;

/** Whether a text may be the event id or the `webhook-id` of a hook. */
function isHookId(text: string): boolean {
  return isUuid(text) || (webhookIdPattern.test(text) && /[\d_-]/.test(text) && !/^label:/i.test(text));
}

function toWidgetEntry({ id, name, labels }: LiveWidget): PaletteEntry {
  return { id, name, labels, detail: labels.join(', '), target: `/widgets/${id}` };
}
