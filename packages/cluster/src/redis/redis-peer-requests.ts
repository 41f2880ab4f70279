import { randomUUID } from 'node:crypto';
import {
  parsePeerAnswer,
  parsePeerQuestion,
  serializePeerMessage,
} from '@widget-service/shared/adapters/peer-message-codec.ts';
import { describeError } from '@widget-service/shared/domain/errors.ts';
import type { PeerAnswers, PeerRequests } from '@widget-service/shared/ports/peer-requests.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { type Redis, ReplyError } from 'ioredis';
import { translateErrors } from './redis-call.ts';
import type { OnWarning } from './targets.ts';

export interface RedisPeerRequestsOptions {
  /** For short calls. The caller closes it. */
  readonly redis: Redis;
  readonly channels: {
    /** Where all processes of the kind listen. */
    readonly questions: string;
    /** Where the process with this id listens for answers. */
    answers(askerId: string): string;
  };
  /** Opens a connection that only subscribes. It must reconnect by itself. */
  readonly connectSubscriber: () => Redis;
  readonly onWarning: OnWarning;
}

/** The pause after Redis has refused the subscription: its user may not use the channels. */
const refusedPauseMs = 10_000;

interface PendingQuestion {
  /** By the id of the process that answered: ioredis may send a question twice, and then it is answered twice. */
  readonly answers: Map<string, string>;
  onAnswer: () => void;
}

/**
 * Questions and answers are Redis Pub/Sub messages: nothing is stored. `PUBLISH` returns how many processes got the
 * question. Each process has a channel of its own for answers.
 *
 * Example: pod A publishes `{id: 1, replyTo: "…:answers:A", question}`, and Redis says that two pods got it. A and B
 * publish their answers to `…:answers:A`. With the second one, A has all answers.
 */
export class RedisPeerRequests implements PeerRequests {
  readonly #options: RedisPeerRequestsOptions;
  readonly #processId = randomUUID();
  readonly #pending = new Map<string, PendingQuestion>();
  #serving: ((question: string) => string | null) | null = null;
  #subscriber: Redis | null = null;
  /** Resolves when the current connection has subscribed to the answers of this process. */
  #subscribed = Promise.withResolvers<void>();

  constructor(options: RedisPeerRequestsOptions) {
    this.#options = options;
  }

  async ask(question: string, withinMs: number): Promise<PeerAnswers> {
    const { redis, channels } = this.#options;
    this.#openSubscriber();
    // Without this, the answers could arrive before the subscription.
    await withDeadline(this.#subscribed.promise, requestDeadlineMs, 'subscribe to answers');
    const id = randomUUID();
    const pending: PendingQuestion = { answers: new Map(), onAnswer: () => undefined };
    this.#pending.set(id, pending);
    try {
      const message = serializePeerMessage({ id, replyTo: channels.answers(this.#processId), question });
      const published = redis.publish(channels.questions, message);
      const operation = 'ask other processes';
      const connections = await translateErrors(withDeadline(published, requestDeadlineMs, operation), operation);
      await waitForAnswers(pending, connections, withinMs);
      return { asked: connections, answers: [...pending.answers.values()] };
    } finally {
      this.#pending.delete(id);
    }
  }

  serve(answer: (question: string) => string | null): () => void {
    this.#serving = answer;
    const subscriber = this.#openSubscriber();
    if (subscriber.status === 'ready') void this.#subscribe(subscriber);
    return () => {
      if (this.#serving !== answer) return;
      this.#serving = null;
      subscriber.unsubscribe(this.#options.channels.questions).catch(() => undefined);
    };
  }

  close(): void {
    this.#subscriber?.disconnect();
  }

  #openSubscriber(): Redis {
    if (this.#subscriber !== null) return this.#subscriber;
    const subscriber = this.#options.connectSubscriber();
    this.#subscriber = subscriber;
    subscriber.on('ready', () => void this.#subscribe(subscriber));
    subscriber.on('close', () => {
      this.#subscribed = Promise.withResolvers<void>();
    });
    subscriber.on('message', (channel: string, text: string) => this.#receive(channel, text));
    return subscriber;
  }

  /** If it fails, the connection is broken or about to be: it subscribes again once it is ready. */
  async #subscribe(subscriber: Redis): Promise<void> {
    const { questions, answers } = this.#options.channels;
    const subscribed = this.#subscribed;
    const channels = [answers(this.#processId), ...(this.#serving !== null ? [questions] : [])];
    try {
      await subscriber.subscribe(...channels);
      subscribed.resolve();
    } catch (error) {
      if (subscriber.status !== 'ready') return;
      if (!(error instanceof ReplyError)) return subscriber.disconnect(true);
      // A new connection would be refused as well, at once, and so on.
      this.#options.onWarning(
        'Redis refuses the channels by which processes ask each other: open streams and the overview are unknown',
        {
          channels: questions,
          reason: describeError(error),
        },
      );
      setTimeout(() => subscriber.status === 'ready' && void this.#subscribe(subscriber), refusedPauseMs).unref();
    }
  }

  #receive(channel: string, text: string): void {
    if (channel === this.#options.channels.questions) this.#answer(text);
    else this.#collect(text);
  }

  #answer(text: string): void {
    const message = parsePeerQuestion(text);
    const answer = message === null ? null : callSafely(() => this.#serving?.(message.question) ?? null);
    if (message === null || answer === null) return;
    const reply = serializePeerMessage({ id: message.id, from: this.#processId, answer });
    this.#options.redis.publish(message.replyTo, reply).catch(() => undefined);
  }

  #collect(text: string): void {
    const message = parsePeerAnswer(text);
    const pending = message === null ? undefined : this.#pending.get(message.id);
    if (message === null || pending === undefined || pending.answers.has(message.from)) return;
    pending.answers.set(message.from, message.answer);
    pending.onAnswer();
  }
}

function callSafely(call: () => string | null): string | null {
  try {
    return call();
  } catch {
    return null;
  }
}

/** Resolves when `count` answers are there, or after `withinMs`. */
function waitForAnswers(pending: PendingQuestion, count: number, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, withinMs);
    pending.onAnswer = () => {
      if (pending.answers.size < count) return;
      clearTimeout(timer);
      resolve();
    };
    pending.onAnswer();
  });
}
