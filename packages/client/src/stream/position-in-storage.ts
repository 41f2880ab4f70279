import type { PositionStore } from './read-stream.ts';

/** What `localStorage` and `sessionStorage` have in common. */
export interface TextStorage {
  /** As on `localStorage`. */
  getItem(key: string): string | null;
  /** As on `localStorage`. */
  setItem(key: string, value: string): void;
}

/** Keeps the position of a stream in a storage of the browser. Use one key per subscription. */
export function storePositionIn(storage: TextStorage, key: string): PositionStore {
  return {
    load: () => storage.getItem(key),
    save: (position) => storage.setItem(key, position),
  };
}
