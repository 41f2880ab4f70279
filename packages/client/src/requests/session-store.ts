/**
 * Keeps the session of a client beyond this process, outside browsers. The text is as secret as a password: whoever has
 * it is signed in until the session ends.
 */
export interface SessionStore {
  /** Called once, before the first request. Null: there is no session. */
  load(): string | null | Promise<string | null>;
  /**
   * Called when the session begins or ends, and when anything else to keep has changed. Null: nothing is to be kept.
   */
  save(session: string | null): void | Promise<void>;
}
