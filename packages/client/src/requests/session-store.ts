/**
 * Keeps the session of a client beyond this process, outside browsers. The text is as secret as a password: whoever has it
 * is signed in until the session ends.
 */
export interface SessionStore {
  /** Called once, before the first request. Null: there is no session. */
  load(): string | null | Promise<string | null>;
  /** Called when the session has begun or ended, and when anything else that is to be kept has changed. Null: nothing is. */
  save(session: string | null): void | Promise<void>;
}
