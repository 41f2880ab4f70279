/**
 * What is kept for all tabs, beyond this visit. A browser that blocks the data of sites throws at every use of a
 * storage, at its name already. So does a full disk at each write. The page then works without what it would have kept.
 */
export const browserStorage = {
  /** Null: there is no such text, or the browser keeps nothing for this page. */
  read: (key: string): string | null => attempt((storage) => storage.getItem(key)) ?? null,
  write: (key: string, text: string): void => attempt((storage) => storage.setItem(key, text)),
};

function attempt<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
