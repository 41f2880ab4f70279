/** Whose right has changed: every pod forgets what it remembers of it, and looks at its open streams again. */
export interface ControlEntry {
  /** `session`: the digest of one; `user`: all sessions of one. */
  readonly kind: 'subscription' | 'integration' | 'provision-token' | 'session' | 'user';
  readonly id: string;
  /** `revoked`: it is gone for good, and no store need be asked. */
  readonly change: 'changed' | 'revoked';
}

/**
 * Tells every pod, within a second, that rights have changed. It carries no truth of its own: whoever misses an entry
 * looks everything up again. Throws `UnavailableError`.
 */
export interface ControlLog {
  /** Resolves once every pod that can reach the log will be told. Announcing twice does no harm. */
  announce(entry: ControlEntry): Promise<void>;
  /** Opens a reader that stands at the end, on a connection of its own. */
  openTail(): ControlTail;
}

export interface ControlTail {
  /**
   * Waits until there is something, then returns it, oldest first; returns no entries after about half a second.
   * `mayHaveMissed` is true on the first call, and whenever entries may have gone by unseen since the last one (the
   * log was away, begun anew, or has dropped them): then everything remembered must be looked up again. Rejects with
   * `UnavailableError` when the log cannot be asked; the next call then says `mayHaveMissed`, and tells what was
   * announced meanwhile all the same, as far as the log still has it: who has to be asked instead may be away.
   */
  next(): Promise<{ readonly entries: readonly ControlEntry[]; readonly mayHaveMissed: boolean }>;
  close(): Promise<void>;
}
