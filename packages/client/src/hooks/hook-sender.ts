import { checkCount, checkDuration, computeReconnectDelayMs, wait } from '../delays.ts';
import type { components } from '../interface.ts';
import { formatExactJson } from '../json/exact-json.ts';
import { parseAddress } from '../requests/address.ts';
import { InvalidCallError } from '../requests/failures.ts';
import { createRandomId } from '../requests/random-id.ts';
import type { Retry } from '../requests/retry.ts';
import { encodeHookId, type HookTarget, postHook } from './post-hook.ts';
import { WaitingHooks } from './waiting-hooks.ts';

/**
 * What has happened to a widget. The `payload` may hold bigints, and the numbers that `parseExactJson` reads: they are
 * sent with every digit.
 */
export type HookEvent = components['schemas']['HookEvent'];

/** Where a sender sends hooks to, and how. */
export interface HookSenderOptions {
  /** The secret URL of the integration. */
  readonly url: string;
  /** `whsec_…`, if the integration requires signatures. */
  readonly secret?: string;
  /** How many hooks are sent at the same time. Default: 8. */
  readonly concurrency?: number;
  /** How many hooks may wait, those that are being sent included. Default: 10 000. */
  readonly maxQueued?: number;
  /** How long each attempt may take, in milliseconds. Default: 10 000. */
  readonly timeoutMs?: number;
  /** Told of each wait before a hook is sent again, and what for. */
  readonly onRetry?: (retry: Retry & { readonly id: string }) => void;
  /** The clock of signatures, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** By default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What the service says of a hook that it has accepted. */
export interface SentHook {
  /** The id of the event that the service makes of the hook. It is the same for each repetition of the hook. */
  readonly eventId: string;
}

/** The queue of a hook sender is full: hooks are made faster than the service accepts them. Nothing was queued. */
export class HookQueueFullError extends Error {
  override readonly name = 'HookQueueFullError';
}

interface QueuedHook {
  readonly id: string;
  readonly widgetId: string | null;
  readonly body: string;
  resolve(sent: SentHook): void;
  reject(error: unknown): void;
}

/** Waits this long after the first failure, then twice as long, and so on up to 30 s. */
const firstDelayMs = 500;

/**
 * Sends hooks until the service has accepted them. A hook keeps its id over all attempts, so the service makes one
 * event of it however often it arrives. Hooks of the same widget are sent one after the other, in the order of the
 * calls.
 *
 * The queue is in memory: what your process has not sent when it ends is lost.
 */
export class HookSender {
  readonly #target: HookTarget;
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #onRetry: HookSenderOptions['onRetry'];
  readonly #waiting = new WaitingHooks<QueuedHook>();
  #sending = 0;
  readonly #closed = new AbortController();
  #onIdle: (() => void)[] = [];

  /** @throws {InvalidCallError} if the URL or another option cannot be. */
  constructor({ url, secret, timeoutMs = 10_000, concurrency = 8, maxQueued = 10_000, ...options }: HookSenderOptions) {
    this.#target = {
      url: parseAddress(url, 'The URL of the integration').href,
      secret,
      timeoutMs: checkDuration('timeoutMs', timeoutMs),
      now: options.now ?? Date.now,
      // A browser's fetch must be called on the global object.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
    this.#concurrency = checkCount('concurrency', concurrency, 1);
    this.#maxQueued = checkCount('maxQueued', maxQueued, 1);
    this.#onRetry = options.onRetry;
  }

  /** How many hooks wait or are being sent. */
  get queued(): number {
    return this.#waiting.size + this.#sending;
  }

  /**
   * Queues a hook. Resolves when the service has accepted it: then it is never lost.
   *
   * The option `id` is what makes the hook unique, for example the id of a row in your database. With it, a hook that
   * is sent again by another process is still one event.
   *
   * @throws {InvalidCallError} if the id cannot be sent, the event is no JSON, or this page cannot sign.
   * @throws {HookQueueFullError} if too many hooks wait.
   * @throws {ProblemError} if the service refuses the hook for good.
   * @throws {UnexpectedResponseError} if the URL leads to something else than the service.
   * @throws {UnreachableError} if the certificate at the URL is not trusted.
   */
  send(event: HookEvent, { id = createRandomId() }: { readonly id?: string } = {}): Promise<SentHook> {
    return new Promise((resolve, reject) => {
      if (this.#closed.signal.aborted) return reject(this.#closed.signal.reason);
      if (this.queued >= this.#maxQueued) return reject(new HookQueueFullError(`${this.queued} hooks wait already`));
      encodeHookId(id);
      this.#waiting.push({ id, widgetId: event.widgetId ?? null, body: formatEvent(event), resolve, reject });
      this.#sendNext();
    });
  }

  /** Resolves when no hook waits. */
  idle(): Promise<void> {
    if (this.queued === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Stops at once: every hook that was not accepted yet is rejected. Await `idle()` before, to send them all. */
  close(): void {
    this.#closed.abort(new Error('it was closed'));
    for (const hook of this.#waiting.clear()) hook.reject(this.#closed.signal.reason);
  }

  #sendNext(): void {
    while (this.#sending < this.#concurrency) {
      const hook = this.#waiting.take();
      if (hook === undefined) return;
      void this.#sendUntilAccepted(hook);
    }
  }

  async #sendUntilAccepted(hook: QueuedHook): Promise<void> {
    this.#sending += 1;
    try {
      hook.resolve(await this.#repeat(hook));
    } catch (error) {
      hook.reject(error);
    }
    this.#sending -= 1;
    this.#waiting.release(hook);
    this.#sendNext();
    if (this.queued > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #repeat(hook: QueuedHook): Promise<SentHook> {
    const { id } = hook;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await postHook(this.#target, hook, this.#closed.signal);
      if (outcome.status === 'accepted') return { eventId: outcome.eventId };
      if (outcome.status === 'refused') throw outcome.error;
      const { error, retryAfterMs } = outcome;
      const delayMs = computeReconnectDelayMs({ retryMs: firstDelayMs, failures: attempt, retryAfterMs });
      this.#onRetry?.({ id, error, delayMs, attempt });
      await wait(delayMs, this.#closed.signal);
    }
  }
}

function formatEvent(event: HookEvent): string {
  try {
    return formatExactJson(event);
  } catch (cause) {
    throw new InvalidCallError('the hook cannot be written as JSON', { cause });
  }
}

/** Creates a sender of hooks for one integration. */
export function createHookSender(options: HookSenderOptions): HookSender {
  return new HookSender(options);
}
