/** What a page may use of `localStorage` or `sessionStorage`. It never throws. */
export interface PageStorage {
  /** Null: there is no such text, or the browser keeps nothing for this page. */
  read(key: string): string | null;
  write(key: string, text: string): void;
  remove(key: string): void;
  keys(): readonly string[];
}

/**
 * A browser that blocks the data of sites throws at every use of a storage, at its name already. So does a full disk at
 * each write. The page then works without what it would have kept.
 */
export function createPageStorage(open: () => Storage): PageStorage {
  function attempt<T>(use: (storage: Storage) => T, otherwise: T): T {
    try {
      return use(open());
    } catch {
      return otherwise;
    }
  }
  return {
    read: (key) => attempt((storage) => storage.getItem(key), null),
    write: (key, text) => attempt((storage) => storage.setItem(key, text), undefined),
    remove: (key) => attempt((storage) => storage.removeItem(key), undefined),
    keys: () =>
      attempt((storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? ''), []),
  };
}

/** Kept for all tabs, beyond this visit. */
export const browserStorage = createPageStorage(() => localStorage);
/** Kept for this tab. */
export const tabStorage = createPageStorage(() => sessionStorage);
