import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

export interface BackgroundRecordsOptions<Open, Stored> {
  /** The beginning of the names of its log lines: `<name>.not_stored`, `<name>.stored`. */
  readonly name: string;
  readonly everyMs: number;
  /** The most open records. Further ones are dropped and counted. */
  readonly atMost: number;
  /** Whether records stay for the next write after a failed one, the newest `atMost` of them. Default: true. */
  readonly keepsFailed?: boolean;
  /** Makes the records to store from the open ones, and from those whose write failed. */
  readonly toBatch: (open: ReadonlyMap<string, Open>, unwritten: readonly Stored[]) => readonly Stored[];
  /** Stores a batch. After a failure, `toBatch` gets it again. Returns one error per record that it dropped. */
  readonly store: (batch: readonly Stored[]) => Promise<readonly unknown[]>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Collects records of requests in memory, and stores them in the background, `everyMs` after the first one. No request
 * waits for it or fails with it. While the store is unavailable, it tries again as often, and logs the first failure
 * and the next success. A process that is killed loses its open records.
 */
export class BackgroundRecords<Open, Stored> {
  readonly #options: BackgroundRecordsOptions<Open, Stored>;
  #open = new Map<string, Open>();
  #unwritten: readonly Stored[] = [];
  #dropped = 0;
  #hasFailed = false;
  /** Set while there are records to write. */
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BackgroundRecordsOptions<Open, Stored>) {
    this.#options = options;
  }

  /** Replaces the open record with this key by what `update` returns. Does not call it if there are too many. */
  record(key: string, update: (open: Open | undefined) => Open): void {
    const open = this.#open.get(key);
    if (open === undefined && this.#open.size >= this.#options.atMost) this.#dropped += 1;
    else this.#open.set(key, update(open));
    if (this.#timer === undefined) this.#schedule();
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  /** Writes what waits, once, and logs how much is lost. Resolves within 2 s and never rejects. */
  async close(): Promise<void> {
    const writeLast = async () => {
      await this.#writing;
      clearTimeout(this.#timer);
      await this.#write();
    };
    await withDeadline(writeLast(), requestDeadlineMs, `write the last ${this.#options.name}`).catch(() => undefined);
    clearTimeout(this.#timer);
    const dropped = this.#dropped + this.#unwritten.length + this.#open.size;
    if (dropped > 0) this.#options.logger.warn({ dropped }, `${this.#options.name}.not_stored`);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#writing = this.#write().then(() => {
        this.#timer = undefined;
        if (this.#open.size + this.#unwritten.length > 0) this.#schedule();
      });
    }, this.#options.everyMs).unref();
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const { name, atMost, keepsFailed = true, toBatch, store, logger } = this.#options;
    const batch = toBatch(this.#open, this.#unwritten);
    this.#open = new Map();
    this.#unwritten = batch;
    if (batch.length === 0) return;
    try {
      const errors = await store(batch);
      this.#unwritten = [];
      const dropped = this.#dropped + errors.length;
      if (this.#hasFailed || dropped > 0) logger.info({ dropped, err: errors[0] }, `${name}.stored`);
      this.#hasFailed = false;
      this.#dropped = 0;
    } catch (err) {
      this.#unwritten = keepsFailed ? batch.slice(-atMost) : [];
      this.#dropped += batch.length - this.#unwritten.length;
      if (!this.#hasFailed) logger.warn({ err, waiting: this.#unwritten.length }, `${name}.not_stored`);
      this.#hasFailed = true;
    }
  }
}
