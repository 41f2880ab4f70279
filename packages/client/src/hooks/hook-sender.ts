import { checkCount, checkDuration } from '../delays.ts';
import type { components } from '../interface.ts';
import { formatExactJson } from '../json/exact-json.ts';
import { InvalidCallError, parseAddress, UnexpectedResponseError } from '../requests/failures.ts';
import { createRandomId, type Retry, sendUntilAnswered } from '../requests/send.ts';
import { encodeHookId, signHook } from './sign-hook.ts';

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

/**
 * Sends hooks until the service has accepted them. A hook keeps its id over all attempts, so the service makes one
 * event of it however often it arrives. Hooks of the same widget are sent one after the other, in the order of the
 * calls.
 *
 * The queue is in memory: what your process has not sent when it ends is lost.
 */
export class HookSender {
  readonly #url: string;
  readonly #options: HookSenderOptions;
  readonly #concurrency: number;
  readonly #maxQueued: number;
  readonly #timeoutMs: number;
  readonly #waiting = new WaitingHooks();
  #sending = 0;
  readonly #closed = new AbortController();
  #onIdle: (() => void)[] = [];

  /** @throws {InvalidCallError} if the URL or another option cannot be. */
  constructor(options: HookSenderOptions) {
    this.#url = parseAddress(options.url, 'The URL of the integration').href;
    this.#options = options;
    this.#timeoutMs = checkDuration('timeoutMs', options.timeoutMs ?? 10_000);
    this.#concurrency = checkCount('concurrency', options.concurrency ?? 8, 1);
    this.#maxQueued = checkCount('maxQueued', options.maxQueued ?? 10_000, 1);
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

  async #repeat({ id, body }: QueuedHook): Promise<SentHook> {
    const url = this.#url;
    const response = await sendUntilAnswered({
      url,
      method: 'POST',
      signal: this.#closed.signal,
      send: async (signal) => this.#post(id, body, signal),
      isRepeatable: true,
      answer: { statuses: [202], body: null },
      expected: '202 without content',
      maxAttempts: Number.POSITIVE_INFINITY,
      longestRetryAfterMs: Number.POSITIVE_INFINITY,
      timeoutMs: this.#timeoutMs,
      onRetry: (retry) => this.#options.onRetry?.({ id, ...retry }),
    });
    const eventId = response.headers.get('webhook-event-id');
    if (eventId) return { eventId };
    // Something else than the service may accept everything as well.
    throw new UnexpectedResponseError({ url, response, mistake: 'that does not answer this request' });
  }

  async #post(id: string, body: string, signal: AbortSignal): Promise<Response> {
    const { secret, now = Date.now, fetch } = this.#options;
    const timestamp = Math.floor(now() / 1_000);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'webhook-id': encodeHookId(id),
      'webhook-timestamp': String(timestamp),
    };
    if (secret !== undefined) headers['webhook-signature'] = await signHook(secret, { id, timestamp, body });
    const init: RequestInit = { method: 'POST', headers, body, credentials: 'omit', redirect: 'manual', signal };
    // A browser's fetch must be called on the global object.
    return fetch === undefined ? globalThis.fetch(this.#url, init) : fetch(this.#url, init);
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

/**
 * Hooks that wait to be sent. Those of one widget are given out one after the other: the next one only after the one
 * before was released. Each operation takes the same time, however many hooks wait.
 */
class WaitingHooks {
  /** Hooks that may be sent at once. */
  readonly #ready = new Fifo<QueuedHook>();
  /** For each widget with a hook that is ready or given out: those that come after it. */
  readonly #later = new Map<string, Fifo<QueuedHook>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(hook: QueuedHook): void {
    this.#size += 1;
    const { widgetId } = hook;
    const later = widgetId === null ? undefined : this.#later.get(widgetId);
    if (later !== undefined) {
      later.push(hook);
      return;
    }
    if (widgetId !== null) this.#later.set(widgetId, new Fifo());
    this.#ready.push(hook);
  }

  /** Gives out the next hook, or undefined if none may be sent now. */
  take(): QueuedHook | undefined {
    const hook = this.#ready.shift();
    if (hook !== undefined) this.#size -= 1;
    return hook;
  }

  /** The hook was sent: the next one of its widget may be. */
  release({ widgetId }: QueuedHook): void {
    if (widgetId === null) return;
    const next = this.#later.get(widgetId)?.shift();
    if (next === undefined) this.#later.delete(widgetId);
    else this.#ready.push(next);
  }

  /** Removes all hooks that wait and returns them. */
  clear(): QueuedHook[] {
    this.#size = 0;
    return [this.#ready, ...this.#later.values()].flatMap((hooks) => hooks.clear());
  }
}

/** A queue. Unlike with an array, `shift` takes the same time however long it is. */
class Fifo<Item> {
  #first: Link<Item> | undefined;
  #last: Link<Item> | undefined;

  push(item: Item): void {
    const link: Link<Item> = { item, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
  }

  /** Removes the first item and returns it. Undefined if there is none. */
  shift(): Item | undefined {
    const link = this.#first;
    this.#first = link?.next;
    if (this.#first === undefined) this.#last = undefined;
    return link?.item;
  }

  /** Removes all items and returns them. */
  clear(): Item[] {
    const items: Item[] = [];
    for (let item = this.shift(); item !== undefined; item = this.shift()) items.push(item);
    return items;
  }
}

interface Link<Item> {
  readonly item: Item;
  next: Link<Item> | undefined;
}
