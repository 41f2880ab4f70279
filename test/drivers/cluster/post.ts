import { type Agent, request } from 'node:http';
import type { EventLoopDelay } from '../tools/event-loop-delay.ts';
import { type CpuStealWatch, startStopwatch } from '../tools/stopwatch.ts';
import type { Operation, Outcome, Recording, Refusal } from './recording.ts';

export interface Answer {
  readonly outcome: Outcome;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly refusal: Refusal | null;
  /** Why the service did not answer. Empty if it answered. */
  readonly failure: string;
}

export interface PostOptions {
  readonly url: string;
  readonly method?: 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent;
  /** How long it waits for an answer. Default: 10 s. */
  readonly timeoutMs?: number;
}

const unanswered = { outcome: 'unknown', status: 0, headers: {}, text: '', refusal: null } as const;

/** Sends one request. Resolves with its outcome and never rejects. */
export function post({ url, method = 'POST', headers, body, agent, timeoutMs = 10_000 }: PostOptions): Promise<Answer> {
  return new Promise((resolve) => {
    const length = { 'content-length': `${Buffer.byteLength(body)}` };
    const sent = request(url, { method, agent, headers: { ...length, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => finish(toAnswer(response.statusCode ?? 0, response.headers, text)));
      response.once('error', fail);
    });
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const finish = (answer: Answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const fail = (error: NodeJS.ErrnoException) => finish({ ...unanswered, failure: error.code ?? error.message });
    sent.once('error', fail);
    sent.end(body);
  });
}

/** What traffic records, and with what it tells the time of the service from that of this machine. */
export interface Recorder {
  readonly recording: Recording;
  readonly eventLoopDelay: EventLoopDelay;
  readonly cpuSteal: CpuStealWatch;
}

/** Sends one request. Resolves with what is recorded of each, and with the answer. */
export async function postMeasured({ eventLoopDelay, cpuSteal }: Recorder, options: PostOptions) {
  const startedAtMs = performance.now();
  const elapsedMs = startStopwatch();
  const answer = await post(options);
  const endedAtMs = performance.now();
  const { outcome, status, refusal, failure } = answer;
  const operation: Operation = {
    ...{ outcome, status, refusal, failure, startedAtMs, endedAtMs },
    latencyMs: elapsedMs() - eventLoopDelay.since(startedAtMs),
    wasStarved: cpuSteal.wasStarved(startedAtMs, endedAtMs),
  };
  return { operation, answer };
}

/**
 * The service puts `x-request-id` on each of its answers. An answer without it comes from the load balancer, so whether
 * the service applied the request is unknown.
 */
function toAnswer(status: number, headers: Answer['headers'], text: string): Answer {
  if (!('x-request-id' in headers))
    return { ...unanswered, status, headers, text, failure: `the balancer answered ${status}` };
  if (status < 300) return { outcome: 'ok', status, headers, text, refusal: null, failure: '' };
  const contentType = headers['content-type']?.toString() ?? '';
  const retryAfter = headers['retry-after']?.toString() ?? null;
  return { outcome: 'refused', status, headers, text, refusal: { contentType, retryAfter, body: text }, failure: '' };
}
