import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

const widgetId = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const aHook = (number: number, payload: Record<string, unknown> = {}) => ({
  kind: 'updated' as const,
  occurredAt: '2026-11-25T08:00:00Z',
  widgetId: widgetId(number),
  payload,
});
const withoutWidget = (n: number) => ({ kind: 'created' as const, occurredAt: '2026-11-25T08:00:00Z', payload: { n } });

/** A fetch whose responses the test sends. */
function openFetch() {
  const requests: { headers: Headers; body: Record<string, unknown>; answer(response: Response | Error): void }[] = [];
  const fetch = ((_: string, init: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      requests.push({
        headers: new Headers(init.headers),
        body: JSON.parse(String(init.body)),
        answer: (response) => (response instanceof Error ? reject(response) : resolve(response)),
      });
    })) as typeof globalThis.fetch;
  return { fetch, requests };
}

const accepted = () => new Response(null, { status: 202, headers: { 'webhook-event-id': 'e-1' } });
const url = 'http://127.0.0.1/api/v1/events/hooks/secret';

describe('HookSender', () => {
  test('repeats a hook with the same id until it is accepted', async () => {
    const { fetch, requests } = openFetch();
    const sent = createHookSender({ url, fetch }).send(aHook(1));
    const answers = [
      new TypeError('fetch failed'),
      new Response('bad gateway', { status: 502 }),
      new Response(JSON.stringify({ code: 'unavailable', status: 503, requestId: 'r-1' }), {
        status: 503,
        headers: { 'content-type': 'application/problem+json', 'retry-after': '1' },
      }),
      accepted(),
    ];
    for (const [index, answer] of answers.entries()) {
      await expect.poll(() => requests.length, { timeout: 10_000 }).toBe(index + 1);
      requests[index]?.answer(answer);
    }
    expect(await sent).toEqual({ eventId: 'e-1' });
    expect(new Set(requests.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1);
  }, 20_000);

  test('sends hooks of one widget one after the other, and all others at the same time', async () => {
    const { fetch, requests } = openFetch();
    const sender = createHookSender({ url, fetch });
    const sendTo = (widget: number, n: number) => sender.send(aHook(widget, { n }));
    const sent = [sendTo(1, 1), sendTo(1, 2), sendTo(2, 3), sendTo(1, 4)];
    sent.push(sender.send(withoutWidget(5)), sender.send(withoutWidget(6)));
    const payloads = () => requests.map(({ body }) => (body.payload as { n: number }).n);
    await expect.poll(payloads).toEqual([1, 3, 5, 6]);
    requests[0]?.answer(accepted());
    await expect.poll(payloads).toEqual([1, 3, 5, 6, 2]);
    sent.push(sendTo(1, 7));
    requests[4]?.answer(accepted());
    await expect.poll(payloads).toEqual([1, 3, 5, 6, 2, 4]);
    requests[5]?.answer(accepted());
    await expect.poll(payloads).toEqual([1, 3, 5, 6, 2, 4, 7]);
    for (const request of requests) request.answer(accepted());
    await Promise.all(sent);
    await sender.idle();
    expect(sender.queued).toBe(0);
    // No other hook of this widget waits any more.
    const last = sendTo(1, 8);
    await expect.poll(payloads).toContain(8);
    requests[7]?.answer(accepted());
    await last;
  });

  test('sends no more at the same time than it may', async () => {
    const { fetch, requests } = openFetch();
    const sender = createHookSender({ url, fetch, concurrency: 2 });
    const sent = [1, 2, 3].map((number) => sender.send(aHook(number)));
    await expect.poll(() => requests.length).toBe(2);
    expect(sender.queued).toBe(3);
    requests[1]?.answer(accepted());
    await expect.poll(() => requests.length).toBe(3);
    for (const request of requests) request.answer(accepted());
    await Promise.all(sent);
  });

  test('queues no more hooks than it may', async () => {
    const { fetch, requests } = openFetch();
    const sender = createHookSender({ url, fetch, maxQueued: 1 });
    const sent = sender.send(aHook(1));
    await expect(sender.send(aHook(2))).rejects.toMatchObject({ name: 'HookQueueFullError' });
    await expect.poll(() => requests.length).toBe(1);
    requests[0]?.answer(accepted());
    await sent;
    expect(sender.queued).toBe(0);
  });

  test.each(['importKey', 'sign'] as const)('rejects a hook at once if %s fails', async (name) => {
    vi.spyOn(crypto.subtle, name).mockRejectedValue(new DOMException('no HMAC', 'NotSupportedError'));
    onTestFinished(() => void vi.restoreAllMocks());
    const { fetch, requests } = openFetch();
    const sender = createHookSender({ url, fetch, secret: 'whsec_AAAA', onRetry: () => sender.close() });
    await expect(sender.send(aHook(1))).rejects.toMatchObject({ name: 'InvalidCallError', kind: 'caller' });
    expect(requests).toEqual([]);
  });

  test('is idle once whoever awaits its last hook knows the outcome', async () => {
    const sender = createHookSender({ url, fetch: async () => accepted() });
    const outcomes: unknown[] = [];
    sender.send(aHook(1)).then((outcome) => outcomes.push(outcome));
    await sender.idle();
    expect(outcomes).toEqual([{ eventId: 'e-1' }]);
  });

  test('rejects what it has not sent when it is closed, also with a fetch that ignores its signal', async () => {
    const sender = createHookSender({ url, fetch: () => new Promise(() => undefined), concurrency: 1 });
    const sent = [sender.send(aHook(1)), sender.send(aHook(1)), sender.send(aHook(2))];
    sender.close();
    for (const one of sent) await expect(one).rejects.toThrow('it was closed');
    await sender.idle();
    await expect(sender.send(aHook(3))).rejects.toThrow('it was closed');
  });

  test('sends the first of 50 000 hooks of one widget at once, and stops at once', async () => {
    const { fetch, requests } = openFetch();
    const sender = createHookSender({ url, fetch, maxQueued: Number.POSITIVE_INFINITY });
    const started = process.cpuUsage();
    const sent = Array.from({ length: 50_000 }, (_, number) => sender.send(aHook(1, { number })));
    await expect.poll(() => requests.length).toBe(1);
    sender.close();
    const results = await Promise.allSettled(sent);
    const { user } = process.cpuUsage(started);
    // Of the processor, so that a busy machine changes nothing. With work that grows with the queue, it is most of a
    // minute.
    expect(user / 1_000_000).toBeLessThan(10);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  });
});
