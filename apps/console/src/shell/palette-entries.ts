import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../service/service.ts';
import { may, type Permission } from '../session/session.ts';
import { pages } from './pages.ts';
import type { PaletteEntry, PaletteSources } from './palette-search.ts';

/** The pages that this user may see. */
export function listPages(): PaletteEntry[] {
  return pages
    .filter(({ path, permission }) => !path.includes(':') && (permission === null || may(permission)))
    .map(({ path, title }) => ({ id: '', name: title, labels: [], to: path }));
}

/** What this user may create. The address has the page open the form: see `shell.tsx`. */
export function listActions(): PaletteEntry[] {
  return pages.flatMap(({ path, navigation }) => {
    const [name, permission] = navigation?.creates ?? [];
    return name === undefined || permission === undefined || !may(permission)
      ? []
      : [{ id: '', name, labels: [], to: `${path}?new` }];
  });
}

interface PlaceSource {
  readonly kind: 'integrations' | 'streams' | 'users';
  readonly permission: Permission;
  readonly read: (
    query: { readonly page: number; readonly pageSize: number },
    signal: AbortSignal,
  ) => Promise<{ readonly items: readonly ReadPlace[]; readonly hasNext: boolean }>;
  readonly to: (id: string) => string;
}

interface ReadPlace {
  readonly id: string;
  readonly name: string | null;
  readonly email?: string;
}

const placeSources: readonly PlaceSource[] = [
  {
    kind: 'integrations',
    permission: 'integrations:manage',
    read: (query, signal) => api.GET('/api/v1/integrations', { params: { query }, signal }),
    to: (id) => `/hooks/${id}`,
  },
  {
    kind: 'streams',
    permission: 'subscriptions:manage',
    read: (query, signal) => api.GET('/api/v1/subscriptions', { params: { query }, signal }),
    to: (id) => `/streams/${id}`,
  },
  {
    kind: 'users',
    permission: 'users:manage',
    read: (query, signal) => api.GET('/api/v1/users', { params: { query }, signal }),
    to: () => '/access/users',
  },
];

const pageSize = 200;
/** So 1 000 of each kind are found. */
const mostPages = 5;

/** Reads the places that this user may see, while the palette is open. A kind that cannot be read is not offered. */
export function usePlaces(): PaletteSources['entries'] {
  const places = useSignal<PaletteSources['entries']>({});
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    const readKind = async ({ kind, read, to }: PlaceSource) => {
      const entries: PaletteEntry[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const { items, hasNext } = await read({ page, pageSize }, signal);
        if (signal.aborted) return;
        entries.push(...items.map((item) => toEntry(item, to)));
        places.value = { ...places.peek(), [kind]: [...entries] };
        if (!hasNext) return;
      }
    };
    for (const source of placeSources) if (may(source.permission)) readKind(source).catch(() => undefined);
    return () => closing.abort();
  }, []);
  return places.value;
}

function toEntry({ id, name, email = '' }: ReadPlace, to: PlaceSource['to']): PaletteEntry {
  return { id, name: name ?? email, labels: [email], detail: name === null ? '' : email, to: to(id) };
}
