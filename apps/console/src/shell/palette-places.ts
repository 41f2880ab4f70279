import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../service/service.ts';
import { may, type Permission } from '../session/session.ts';
import type { PaletteEntry } from './palette-search.ts';

/** The kinds of places that are read when the palette opens. */
type PlaceKind = 'integrations' | 'streams' | 'users';
type Places = Readonly<Partial<Record<PlaceKind, readonly PaletteEntry[]>>>;

interface PageOfPlaces {
  readonly entries: readonly PaletteEntry[];
  readonly hasNext: boolean;
}

interface PlaceSource {
  readonly permission: Permission;
  readonly read: (query: { page: number; pageSize: number }, signal: AbortSignal) => Promise<PageOfPlaces>;
}

const pageSize = 200;
/** So 1 000 of each kind are found. */
const mostPages = 5;

const sources: Readonly<Record<PlaceKind, PlaceSource>> = {
  integrations: {
    permission: 'integrations:manage',
    read: async (query, signal) => {
      const { items, hasNext } = await api.GET('/api/v1/integrations', { params: { query }, signal });
      const entries = items.map(({ id, name }) => ({ id, name, labels: [], target: `/hooks/${id}` }));
      return { entries, hasNext };
    },
  },
  streams: {
    permission: 'subscriptions:manage',
    read: async (query, signal) => {
      const { items, hasNext } = await api.GET('/api/v1/subscriptions', { params: { query }, signal });
      const entries = items.map(({ id, name }) => ({ id, name, labels: [], target: `/streams/${id}` }));
      return { entries, hasNext };
    },
  },
  users: {
    permission: 'users:manage',
    read: async (query, signal) => {
      const { items, hasNext } = await api.GET('/api/v1/users', { params: { query }, signal });
      const entries = items.map(({ id, name, email }) => ({
        id,
        name: name ?? email,
        labels: [email],
        detail: name === null ? '' : email,
        target: '/access/users',
      }));
      return { entries, hasNext };
    },
  },
};

/** Reads the places that this user may see, while the palette is open. A kind that cannot be read is not offered. */
export function usePlaces(): Places {
  const places = useSignal<Places>({});
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    const readKind = async (kind: PlaceKind) => {
      let entries: readonly PaletteEntry[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const read = await sources[kind].read({ page, pageSize }, signal);
        if (signal.aborted) return;
        entries = [...entries, ...read.entries];
        places.value = { ...places.peek(), [kind]: entries };
        if (!read.hasNext) return;
      }
    };
    for (const kind of ['integrations', 'streams', 'users'] as const) {
      if (may(sources[kind].permission)) readKind(kind).catch(() => undefined);
    }
    return () => closing.abort();
  }, []);
  return places.value;
}
