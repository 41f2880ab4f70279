import type { HookRefusal, RefusalStore } from '@widget-service/shared/ports/refusal-store.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

const writeEveryMs = 1_000;
/** How many refusals may wait for one write. Above it, the oldest are dropped. */
const waitingMax = 1_000;

export interface RefusalRecorderDeps {
  readonly refusals: Pick<RefusalStore, 'add'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Stores refusals in the background, for the list of an integration's refusals. It samples: of the refusals of one
 * integration with one code it stores the first in each second, which then counts the others (`unlisted`).
 *
 * No request waits for it or fails with it. While the store is unavailable, at most 1 000 refusals wait, and the pod
 * tries again every second.
 */
export class RefusalRecorder {
  readonly #deps: RefusalRecorderDeps;
  /** The refusals of the current second, by integration and code. */
  readonly #sampled = new Map<string, HookRefusal>();
  /** Refusals whose write failed, oldest first. */
  #unwritten: readonly HookRefusal[] = [];
  #dropped = 0;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(deps: RefusalRecorderDeps) {
    this.#deps = deps;
  }

  /** Calls `describe` only for a refusal that it stores. */
  record(integrationId: string, code: string, describe: () => Omit<HookRefusal, 'unlisted'>): void {
    const key = `${integrationId} ${code}`;
    const sampled = this.#sampled.get(key);
    if (sampled !== undefined) this.#sampled.set(key, { ...sampled, unlisted: sampled.unlisted + 1 });
    else if (this.#sampled.size < waitingMax) this.#sampled.set(key, { ...describe(), unlisted: 0 });
    else this.#dropped += 1;
    this.#schedule();
  }

  /** Writes what waits, once. Resolves within 2 s and never rejects. Refusals that are recorded after it are lost. */
  async close(): Promise<void> {
    await withDeadline(this.#writeLast(), requestDeadlineMs, 'write the last refusals').catch(() => undefined);
    clearTimeout(this.#timer);
  }

  async #writeLast(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#timer);
    await this.#write();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isWriting) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, writeEveryMs).unref();
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const batch = [...this.#unwritten, ...this.#sampled.values()];
    this.#sampled.clear();
    this.#unwritten = [];
    if (batch.length === 0) return;
    this.#isWriting = true;
    try {
      await this.#deps.refusals.add(batch);
      this.#recordSuccess();
    } catch (err) {
      this.#unwritten = batch.slice(-waitingMax);
      this.#dropped += batch.length - this.#unwritten.length;
      if (!this.#hasFailed) this.#deps.logger.warn({ err, waiting: this.#unwritten.length }, 'refusals.not_stored');
      this.#hasFailed = true;
    }
    this.#isWriting = false;
    if (this.#unwritten.length + this.#sampled.size > 0) this.#schedule();
  }

  #recordSuccess(): void {
    if (this.#hasFailed || this.#dropped > 0) this.#deps.logger.info({ dropped: this.#dropped }, 'refusals.stored');
    this.#hasFailed = false;
    this.#dropped = 0;
  }
}
