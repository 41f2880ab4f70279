import { createClient } from '@widget-service/client/client.ts';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { readStream } from '@widget-service/client/stream/read-stream.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { block, openBlock } from '../../drivers/streams/scripted-stream-server.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const hourMs = 3_600_000;

/** A fetch that gives every request the same answer and counts them. */
function answerAll(respond: (signal: AbortSignal | null | undefined) => Response) {
  const counts = { sent: 0 };
  const fetch: typeof globalThis.fetch = async (_, init) => {
    counts.sent += 1;
    return respond(init?.signal);
  };
  return { fetch, counts };
}

const unavailable = (retryAfter: string) => () =>
  new Response(JSON.stringify({ title: 'A', detail: 'B', status: 503, code: 'unavailable', requestId: 'r' }), {
    status: 503,
    headers: { 'content-type': 'application/problem+json', 'retry-after': retryAfter },
  });

const streamOf = (blocks: string) => () => new Response(blocks, { headers: { 'content-type': 'text/event-stream' } });

const aHook = { kind: 'updated' as const, occurredAt: '2026-11-25T08:00:00Z' };
const ignore = () => undefined;

describe.each(['2592000', '99999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'Retry-After: %s',
  (retryAfter) => {
    test('a hook and a stream are sent once an hour', async () => {
      const { fetch, counts } = answerAll(unavailable(retryAfter));
      const sender = createHookSender({ url: 'http://127.0.0.1/', fetch });
      sender.send(aHook).catch(ignore);
      const stop = new AbortController();
      readStream('http://127.0.0.1/', { fetch, signal: stop.signal }).next().catch(ignore);
      await vi.advanceTimersByTimeAsync(10 * 60_000);
      expect(counts.sent).toBe(2);
      await vi.advanceTimersByTimeAsync(2 * hourMs);
      expect(counts.sent).toBe(6);
      sender.close();
      stop.abort();
    });

    test('a request fails at once: a person can wait better', async () => {
      const { fetch, counts } = answerAll(unavailable(retryAfter));
      await expect(createClient({ baseUrl: 'http://127.0.0.1/', fetch }).getSession()).rejects.toThrow('unavailable');
      expect(counts.sent).toBe(1);
    });
  },
);

describe.each([2_147_483_648, 99_999_999_999, Number.MAX_SAFE_INTEGER])('retry: %d', (retryMs) => {
  test('the stream is opened once an hour', async () => {
    const { fetch, counts } = answerAll(
      streamOf(block('stream.closing', { reason: 'overloaded' }, undefined, retryMs)),
    );
    const stop = new AbortController();
    const read = async () => {
      for await (const _ of readStream('http://127.0.0.1/', { fetch, signal: stop.signal }));
    };
    read().catch(ignore);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(counts.sent).toBe(1);
    await vi.advanceTimersByTimeAsync(2 * hourMs);
    expect(counts.sent).toBe(3);
    stop.abort();
  });
});

test('retry: 0 does not open the stream without a pause', async () => {
  const { fetch, counts } = answerAll(streamOf(block('stream.closing', { reason: 'overloaded' }, undefined, 0)));
  const stop = new AbortController();
  const read = async () => {
    for await (const _ of readStream('http://127.0.0.1/', { fetch, signal: stop.signal }));
  };
  read().catch(ignore);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(counts.sent).toBeLessThanOrEqual(11);
  stop.abort();
});

test.each([1e9, -1, 0, 'soon', null])('a heartbeat of %j s does not break a stream off', async (heartbeatSeconds) => {
  const stop = new AbortController();
  const opened = new TextEncoder().encode(openBlock('p1', { heartbeatSeconds }));
  const { fetch, counts } = answerAll((signal) => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(opened);
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const read = async () => {
    for await (const _ of readStream('http://127.0.0.1/', { fetch, signal: stop.signal }));
  };
  read().catch(ignore);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(counts.sent).toBe(1);
  stop.abort();
});
