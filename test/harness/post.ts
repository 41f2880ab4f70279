import { type Agent, request } from 'node:http';
import type { Outcome, Refusal } from './recording.ts';

export interface Answer {
  readonly outcome: Outcome;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly refusal: Refusal | null;
}

export interface PostOptions {
  readonly url: string;
  readonly method?: 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent;
}

/** Whoever has not answered by then is not waited for. */
const patienceMs = 10_000;
const unanswered: Answer = { outcome: 'unknown', status: 0, headers: {}, text: '', refusal: null };

/** One request; resolves with what came of it, never rejects. */
export function post({ url, method = 'POST', headers, body, agent }: PostOptions): Promise<Answer> {
  return new Promise((resolve) => {
    const length = { 'content-length': `${Buffer.byteLength(body)}` };
    const sent = request(url, { method, agent, headers: { ...length, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => finish(answerOf(response.statusCode ?? 0, response.headers, text)));
      response.once('error', () => finish(unanswered));
    });
    const timer = setTimeout(() => sent.destroy(), patienceMs);
    const finish = (answer: Answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    sent.once('error', () => finish(unanswered));
    sent.end(body);
  });
}

/** The service names every one of its answers; what has no name is the balancer's, which knows nothing for certain. */
function answerOf(status: number, headers: Answer['headers'], text: string): Answer {
  if (!('x-request-id' in headers)) return { ...unanswered, status, headers, text };
  if (status < 300) return { outcome: 'ok', status, headers, text, refusal: null };
  const contentType = headers['content-type']?.toString() ?? '';
  const retryAfter = headers['retry-after']?.toString() ?? null;
  return { outcome: 'refused', status, headers, text, refusal: { contentType, retryAfter, body: text } };
}
