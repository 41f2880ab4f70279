import { type PageStorage, tabStorage } from '../parts/storage.ts';

const prefix = 'console-draft:';

/**
 * Keeps what somebody has typed into forms, by the user's id and the form's name. Only in the storage of one tab, so
 * that it survives a reload, and never a secret. It ends with the session, however that ends.
 */
export function createDrafts(storage: PageStorage) {
  const toKey = (userId: string, name: string) => `${prefix}${userId}:${name}`;

  function forget(isForgotten: (key: string) => boolean): void {
    for (const key of storage.keys()) if (key.startsWith(prefix) && isForgotten(key)) storage.remove(key);
  }

  return {
    /** Returns the members `kept` of the draft, or null if there is none or it cannot be read. */
    read: (userId: string, name: string, kept: readonly string[]): object | null => {
      try {
        const draft = JSON.parse(storage.read(toKey(userId, name)) ?? 'null') as object | null;
        return draft === null ? null : pick(draft, kept);
      } catch {
        return null;
      }
    },
    /** Keeps only the members `kept` of the values. */
    write: (userId: string, name: string, values: object, kept: readonly string[]): void => {
      storage.write(toKey(userId, name), JSON.stringify(pick(values, kept)));
    },
    remove: (userId: string, name: string): void => storage.remove(toKey(userId, name)),
    /** Forgets the drafts of everybody: the next person at this machine must not see them. */
    forgetAll: (): void => forget(() => true),
    /** Forgets the drafts of everybody else: another user may have signed in while this tab was closed or asleep. */
    forgetOthers: (userId: string): void => forget((key) => !key.startsWith(toKey(userId, ''))),
  };
}

function pick(values: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

export const drafts = createDrafts(tabStorage);
