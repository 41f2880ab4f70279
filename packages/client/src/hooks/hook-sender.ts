import type { components } from '../interface.ts';
import { ProblemError, readProblem, UnexpectedResponseError } from '../requests/problem-error.ts';
import { createRandomId } from '../requests/random-id.ts';
import { readRetryAfterMs } from '../requests/retry-after.ts';
import { computeReconnectDelayMs } from '../stream/reconnect-delay.ts';
import { wait } from '../wait.ts';
import { signHook } from './sign-hook.ts';

/** What has happened to a widget. */
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
  readonly event: HookEvent;
  resolve(sent: SentHook): void;
  reject(error: unknown): void;
}

/** Waits this long after the first failure, then twice as long, and so on up to 30 s. */
const firstDelayMs = 500;

/**
 * Sends hooks until the service has accepted them. A hook keeps its id over all attempts, so the service makes one event
 * of it however often it arrives. Hooks of the same widget are sent one after the other, in the order of the calls.
 *
 * The queue is in memory: what your process has not sent when it ends is lost.
 */
export class HookSender {
  readonly #options: HookSenderOptions;
  readonly #waiting: QueuedHook[] = [];
  readonly #sending = new Set<QueuedHook>();
  readonly #closed = new AbortController();
  #onIdle: (() => void)[] = [];

  constructor(options: HookSenderOptions) {
    this.#options = options;
  }

  /** How many hooks wait or are being sent. */
  get queued(): number {
    return this.#waiting.length + this.#sending.size;
  }

  /**
   * Queues a hook. Resolves when the service has accepted it: then it is never lost.
   *
   * The option `id` is what makes the hook unique, for example the id of a row in your database. With it, a hook that is
   * sent again by another process is still one event.
   *
   * @throws {HookQueueFullError} if too many hooks wait.
   * @throws {ProblemError} if the service refuses the hook for good.
   */
  send(event: HookEvent, { id = createRandomId() }: { readonly id?: string } = {}): Promise<SentHook> {
    return new Promise((resolve, reject) => {
      if (this.#closed.signal.aborted) return reject(this.#closed.signal.reason);
      if (this.queued >= (this.#options.maxQueued ?? 10_000)) {
        return reject(new HookQueueFullError(`${this.queued} hooks wait already`));
      }
      this.#waiting.push({ id, event, resolve, reject });
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
    this.#closed.abort(new Error('the hook sender was closed'));
    for (const hook of this.#waiting.splice(0)) hook.reject(this.#closed.signal.reason);
  }

  #sendNext(): void {
    const busyWidgets = new Set([...this.#sending].map(({ event }) => event.widgetId ?? null));
    for (let index = 0; index < this.#waiting.length; ) {
      if (this.#sending.size >= (this.#options.concurrency ?? 8)) return;
      const hook = this.#waiting[index];
      const widgetId = hook?.event.widgetId ?? null;
      if (hook === undefined || (widgetId !== null && busyWidgets.has(widgetId))) {
        index += 1;
        continue;
      }
      this.#waiting.splice(index, 1);
      busyWidgets.add(widgetId);
      void this.#sendUntilAccepted(hook);
    }
  }

  async #sendUntilAccepted(hook: QueuedHook): Promise<void> {
    this.#sending.add(hook);
    try {
      hook.resolve(await this.#repeat(hook));
    } catch (error) {
      hook.reject(error);
    }
    this.#sending.delete(hook);
    this.#sendNext();
    if (this.queued > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #repeat({ id, event }: QueuedHook): Promise<SentHook> {
    const body = JSON.stringify(event);
    for (let failures = 1; ; failures += 1) {
      const outcome = await this.#attempt(id, body);
      if (outcome.status === 'accepted') return { eventId: outcome.eventId };
      if (outcome.status === 'refused') throw outcome.error;
      const { retryAfterMs } = outcome;
      const delayMs = computeReconnectDelayMs({ retryMs: firstDelayMs, failures, retryAfterMs });
      await wait(delayMs, this.#closed.signal);
    }
  }

  async #attempt(id: string, body: string): Promise<AttemptOutcome> {
    const { url, secret, timeoutMs = 10_000, fetch = globalThis.fetch } = this.#options;
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
    };
    if (secret !== undefined) headers['webhook-signature'] = await signHook(secret, { id, timestamp, body });
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(timeoutMs)]);
    let response: Response;
    try {
      response = await fetch(url, { method: 'POST', headers, body, credentials: 'omit', signal });
    } catch {
      this.#closed.signal.throwIfAborted();
      return { status: 'failed', retryAfterMs: 0 };
    }
    return readOutcome(response);
  }
}

type AttemptOutcome =
  | { readonly status: 'accepted'; readonly eventId: string }
  | { readonly status: 'refused'; readonly error: Error }
  | { readonly status: 'failed'; readonly retryAfterMs: number };

async function readOutcome(response: Response): Promise<AttemptOutcome> {
  if (response.status === 202) {
    return { status: 'accepted', eventId: response.headers.get('webhook-event-id') ?? '' };
  }
  const retryAfterMs = readRetryAfterMs(response.headers);
  const problem = await readProblem(response);
  if (problem !== null) {
    const error = new ProblemError(problem);
    return error.isTemporary ? { status: 'failed', retryAfterMs } : { status: 'refused', error };
  }
  // Without a problem of the service, a proxy has answered. Its 4xx means that the URL leads nowhere.
  if (response.status >= 500 || response.status === 429) return { status: 'failed', retryAfterMs };
  return { status: 'refused', error: new UnexpectedResponseError(response.status) };
}

/** Creates a sender of hooks for one integration. */
export function createHookSender(options: HookSenderOptions): HookSender {
  return new HookSender(options);
}
