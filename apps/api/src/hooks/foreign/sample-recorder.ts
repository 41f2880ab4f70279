import { isUtf8 } from 'node:buffer';
import { type HookSample, type SampleStore, sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

/** How many samples are written at a time. Another one is not kept. */
const writingMax = 10;
/** How many different samples a second may have. */
const sampledMax = 1_000;

export interface SampleRecorderDeps {
  readonly samples: Pick<SampleStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Stores refused requests of foreign senders in the background, if samples of their integration are kept: of the
 * requests of one integration with one code, the first in each second. No request waits for it or fails with it. What
 * cannot be stored now is not kept.
 */
export class SampleRecorder {
  readonly #deps: SampleRecorderDeps;
  /** The integrations and codes that have a sample in the current second. */
  readonly #sampled = new Set<string>();
  #second = 0;
  readonly #writing = new Set<Promise<void>>();
  #hasFailed = false;

  constructor(deps: SampleRecorderDeps) {
    this.#deps = deps;
  }

  /** Calls `describe` only for a sample that it stores. */
  record(
    integrationId: string,
    code: string,
    body: Uint8Array,
    describe: () => Omit<HookSample, 'integrationId' | 'code' | 'receivedAt' | 'body'>,
  ): void {
    // A preview takes a text.
    if (body.length > sampleLimits.bodyBytesMax || !isUtf8(body)) return;
    const receivedAt = this.#deps.clock.now();
    if (!this.#isFirst(`${integrationId} ${code}`, receivedAt) || this.#writing.size >= writingMax) return;
    const text = Buffer.from(body).toString();
    const written = this.#write({ integrationId, receivedAt, code, ...describe(), body: text });
    this.#writing.add(written);
    void written.then(() => this.#writing.delete(written));
  }

  /** Resolves once everything is written, within 2 s. Never rejects. */
  async close(): Promise<void> {
    const written = Promise.all(this.#writing);
    await withDeadline(written, requestDeadlineMs, 'write the last samples').catch(() => undefined);
  }

  #isFirst(key: string, now: Date): boolean {
    const second = Math.floor(now.getTime() / 1_000);
    if (second !== this.#second) this.#sampled.clear();
    this.#second = second;
    if (this.#sampled.has(key) || this.#sampled.size >= sampledMax) return false;
    this.#sampled.add(key);
    return true;
  }

  /** Never rejects. */
  async #write(sample: HookSample): Promise<void> {
    try {
      await this.#deps.samples.add(sample);
      this.#hasFailed = false;
    } catch (err) {
      if (!this.#hasFailed) this.#deps.logger.warn({ err }, 'samples.not_stored');
      this.#hasFailed = true;
    }
  }
}
