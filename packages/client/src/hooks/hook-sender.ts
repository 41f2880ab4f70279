import { checkCount, checkDuration } from '../delays.ts';
import type { components } from '../interface.ts';
import { formatExactJson } from '../json/exact-json.ts';
import { InvalidCallError, parseAddress, UnexpectedResponseError } from '../requests/failures.ts';
import { createRandomId, globalFetch, type Retry, sendUntilAnswered } from '../requests/send.ts';
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
  /** Called before each wait for another attempt, with the reason. */
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
  readonly #maxQueued: number;
  readonly #timeoutMs: number;
  readonly #closed = new AbortController();
  /** By widget: resolves when its last queued hook is done. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #slots: Slots;
  /** The functions that reject the hooks which are not accepted yet. */
  readonly #unsent = new Set<(reason: unknown) => void>();
  #onIdle: (() => void)[] = [];

  /** @throws {InvalidCallError} if the URL or another option is invalid. */
  constructor(options: HookSenderOptions) {
    this.#url = parseAddress(options.url, 'The URL of the integration').href;
    this.#options = options;
    this.#timeoutMs = checkDuration('timeoutMs', options.timeoutMs ?? 10_000);
    this.#slots = new Slots(checkCount('concurrency', options.concurrency ?? 8, 1));
    this.#maxQueued = checkCount('maxQueued', options.maxQueued ?? 10_000, 1);
  }

  /** How many hooks wait or are being sent. */
  get queued(): number {
    return this.#unsent.size;
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
      this.#closed.signal.throwIfAborted();
      if (this.queued >= this.#maxQueued) throw new HookQueueFullError(`${this.queued} hooks wait already`);
      encodeHookId(id);
      const body = formatEvent(event);
      const settle = (end: () => void) => {
        this.#unsent.delete(fail);
        end();
        if (this.queued === 0) for (const resolveIdle of this.#onIdle.splice(0)) resolveIdle();
      };
      const fail = (reason: unknown) => settle(() => reject(reason));
      this.#unsent.add(fail);
      const sent = this.#inTurn(event.widgetId ?? null, () => this.#slots.use(() => this.#repeat(id, body)));
      sent.then((hook) => settle(() => resolve(hook)), fail);
    });
  }

  /** Resolves when no hook waits, after the promise of the last hook is settled. */
  idle(): Promise<void> {
    if (this.queued === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Stops at once: every hook that was not accepted yet is rejected. Await `idle()` before, to send them all. */
  close(): void {
    this.#closed.abort(new Error('it was closed'));
    for (const reject of this.#unsent) reject(this.#closed.signal.reason);
  }

  /** Sends a hook after those of the same widget that came before it, whether they were accepted or not. */
  #inTurn(widgetId: string | null, send: () => Promise<SentHook>): Promise<SentHook> {
    if (widgetId === null) return send();
    const sent = this.#turns.get(widgetId)?.then(send) ?? send();
    const forget = () => this.#turns.get(widgetId) === end && this.#turns.delete(widgetId);
    const end: Promise<unknown> = sent.then(forget, forget);
    this.#turns.set(widgetId, end);
    return sent;
  }

  async #repeat(id: string, body: string): Promise<SentHook> {
    this.#closed.signal.throwIfAborted();
    const response = await sendUntilAnswered({
      url: this.#url,
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
    // It comes from something else than the service, or from an integration whose source ignores the hook.
    throw new UnexpectedResponseError({ url: this.#url, response, mistake: 'that does not answer this request' });
  }

  async #post(id: string, body: string, signal: AbortSignal): Promise<Response> {
    const { secret, now = Date.now, fetch = globalFetch } = this.#options;
    const timestamp = Math.floor(now() / 1_000);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'webhook-id': encodeHookId(id),
      'webhook-timestamp': String(timestamp),
    };
    if (secret !== undefined) headers['webhook-signature'] = await signHook(secret, { id, timestamp, body });
    return fetch(this.#url, { method: 'POST', headers, body, credentials: 'omit', redirect: 'manual', signal });
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

/** Limits how many tasks run at the same time. The others wait, and start in order. */
class Slots {
  #free: number;
  #waiting: (() => void)[] = [];
  /** How many of `#waiting` have begun. */
  #begun = 0;

  constructor(size: number) {
    this.#free = size;
  }

  async use<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await run();
    } finally {
      this.#passOn();
    }
  }

  /** Gives a slot to the next that waits. It takes the same time however many wait: `shift` would not. */
  #passOn(): void {
    const next = this.#waiting[this.#begun];
    if (next === undefined) this.#free += 1;
    else this.#begun += 1;
    if (this.#begun * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#begun);
      this.#begun = 0;
    }
    next?.();
  }
}
