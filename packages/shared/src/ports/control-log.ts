/**
 * One announcement. A grant, session or user has changed: every pod drops its cache entries and re-checks its open
 * streams. Or an admin ends one `stream`: the pod that holds it ends it, and nothing is revoked.
 */
export interface ControlEntry {
  /** For `session`, `id` is the session's digest. `user` stands for the sessions of a user. */
  readonly kind: 'subscription' | 'integration' | 'provision-token' | 'session' | 'user' | 'stream';
  readonly id: string;
  /** `revoked`: it has ended for good, so a pod need not read the store. `changed`: the pod must read it. */
  readonly change: 'changed' | 'revoked';
}

/**
 * Notifies every pod within a second that a grant, a session or a user changed. The stores hold the truth: a pod that
 * missed an entry reads everything again. `announce` and `next` throw `UnavailableError`.
 */
export interface ControlLog {
  /**
   * Resolves once every pod that is connected to the log will read the entry. Announcing an entry twice is harmless.
   */
  announce(entry: ControlEntry): Promise<void>;
  /** Opens a reader at the end of the log, with its own connection. */
  openTail(): ControlTail;
}

export interface ControlTail {
  /**
   * Waits for entries and returns them, oldest first. Returns no entries if none arrives within about half a second.
   *
   * `mayHaveMissed` is true on the first call, and when the reader may have missed entries: the log was unavailable,
   * started again, dropped entries, or holds an entry of a newer version. The caller then reads again what it has
   * cached.
   *
   * Rejects with `UnavailableError` if the log is unavailable. The next call that resolves sets `mayHaveMissed`. It
   * also returns the entries that were announced meanwhile and that the log still has.
   */
  next(): Promise<{ readonly entries: readonly ControlEntry[]; readonly mayHaveMissed: boolean }>;
  close(): Promise<void>;
}
