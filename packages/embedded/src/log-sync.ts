import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Puts the file that `fd` refers to on the disk. */
export type SyncFile = (fd: number) => Promise<void>;

/**
 * Puts SQLite's write-ahead log on the disk in the background, so that the event loop does not wait for the disk.
 * SQLite itself would sync inside the COMMIT, and nothing else could run meanwhile.
 *
 * One sync covers everything that was committed before it began. At most one runs at a time: what is committed
 * meanwhile shares the next one.
 */
export class LogSync {
  readonly #fd: number;
  readonly #syncFile: SyncFile;
  readonly #onFailure: (error: unknown) => void;
  /** The sync that is running. It may miss what is committed from now on. */
  #running: PromiseWithResolvers<void> | null = null;
  /** The sync that begins when the running one ends. */
  #next: PromiseWithResolvers<void> | null = null;
  #failure: { readonly error: unknown } | null = null;
  #isClosed = false;

  /**
   * `file` is the write-ahead log. It must exist. Calls `onFailure` once, if a sync failed. The operating system may
   * have dropped what it could not write, and reports that only once: a later sync would succeed although the data is
   * lost. So nobody may trust the file any more.
   */
  constructor(file: string, onFailure: (error: unknown) => void, syncFile: SyncFile = promisify(fdatasync)) {
    this.#fd = openSync(file, 'r+');
    this.#syncFile = syncFile;
    this.#onFailure = onFailure;
  }

  /** Resolves once everything that was committed before this call is on the disk. Rejects if a sync has failed. */
  sync(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure.error);
    this.#next ??= Promise.withResolvers();
    const { promise } = this.#next;
    if (this.#running === null) void this.#run();
    return promise;
  }

  /**
   * The promise of the last `sync` while it is pending. Null: everything is on the disk. Rejects if a sync has failed.
   */
  get pending(): Promise<void> | null {
    if (this.#failure !== null) return Promise.reject(this.#failure.error);
    return (this.#next ?? this.#running)?.promise ?? null;
  }

  /** Closes the file once no sync waits for it. */
  close(): void {
    this.#isClosed = true;
    if (this.#running === null) closeSync(this.#fd);
  }

  async #run(): Promise<void> {
    while (this.#next !== null) {
      const current = this.#next;
      this.#next = null;
      this.#running = current;
      try {
        await this.#syncFile(this.#fd);
        current.resolve();
      } catch (error) {
        this.#fail(error);
        break;
      }
    }
    this.#running = null;
    if (this.#isClosed) closeSync(this.#fd);
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#running?.reject(error);
    this.#next?.reject(error);
    this.#next = null;
    this.#onFailure(error);
  }
}
