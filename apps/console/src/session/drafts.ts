const prefix = 'console-draft:';

type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * Keeps what somebody has typed into forms, by the user's id and the form's name. Only in the storage of one tab, so
 * that it survives a reload, and never a secret. It ends with the session, however that ends.
 */
export function createDrafts(getStorage: () => DraftStorage) {
  const toKey = (userId: string, name: string) => `${prefix}${userId}:${name}`;

  function forget(isForgotten: (key: string) => boolean): void {
    const storage = getStorage();
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
    for (const key of keys) if (key.startsWith(prefix) && isForgotten(key)) storage.removeItem(key);
  }

  return {
    /** Returns the members `kept` of the draft, or null if there is none or it cannot be read. */
    read: (userId: string, name: string, kept: readonly string[]): object | null => {
      try {
        const draft = JSON.parse(getStorage().getItem(toKey(userId, name)) ?? 'null') as object | null;
        return draft === null ? null : pick(draft, kept);
      } catch {
        return null;
      }
    },
    /** Keeps only the members `kept` of the values. */
    write: (userId: string, name: string, values: object, kept: readonly string[]): void => {
      getStorage().setItem(toKey(userId, name), JSON.stringify(pick(values, kept)));
    },
    remove: (userId: string, name: string): void => getStorage().removeItem(toKey(userId, name)),
    /** Forgets the drafts of everybody: the next person at this machine must not see them. */
    forgetAll: (): void => forget(() => true),
    /** Forgets the drafts of everybody else: another user may have signed in while this tab was closed or asleep. */
    forgetOthers: (userId: string): void => forget((key) => !key.startsWith(toKey(userId, ''))),
  };
}

function pick(values: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

export const drafts = createDrafts(() => sessionStorage);
