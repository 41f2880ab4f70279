import { sendWithRetries } from '@widget-service/client/requests/send.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Answer = () => Response | Error;

const ok: Answer = () => Response.json({ id: 'w-1' }, { status: 201 });
const lost: Answer = () => new TypeError('fetch failed');
const badGateway: Answer = () => new Response('bad gateway', { status: 502 });
const problem =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify({ title: 'A problem', detail: 'Why.', status, code, requestId: 'r-1' }), {
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
    });

/** Sends a request to a service that gives these answers, one after the other. The waits take no time. */
async function send(answers: readonly Answer[], { method = 'GET', key = '' } = {}) {
  const bodies: string[] = [];
  const fetch = async (request: string | URL | Request) => {
    bodies.push(await (request as Request).text());
    const answer = answers[bodies.length - 1]?.() ?? new Error('one request too many');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const request = new Request('http://127.0.0.1/api/v1/widgets', {
    method,
    ...(method === 'POST' ? { body: 'the body' } : {}),
    headers: key === '' ? {} : { 'idempotency-key': key },
  });
  const sent = sendWithRetries(request, fetch, { maxAttempts: 5, timeoutMs: 60_000 });
  const settled = sent.then(
    (response) => response.status,
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(120_000);
  return { result: await settled, bodies };
}

describe('sendWithRetries', () => {
  test.each<[string, Answer]>([
    ['a lost connection', lost],
    ['a 502 of a proxy', badGateway],
    ['a 503 of the service', problem(503, 'unavailable', { 'retry-after': '1' })],
    ['a 429', problem(429, 'rate-limited', { 'retry-after': '1' })],
  ])('repeats a read after %s', async (_, answer) => {
    const { result, bodies } = await send([answer, answer, ok]);
    expect(result).toBe(201);
    expect(bodies).toHaveLength(3);
  });

  test('repeats a create with a key, with the same body', async () => {
    const { result, bodies } = await send([lost, ok], { method: 'POST', key: 'one' });
    expect(result).toBe(201);
    expect(bodies).toEqual(['the body', 'the body']);
  });

  test.each<[string, Answer]>([
    ['a lost connection', lost],
    ['a 503 whose outcome is unknown', problem(503, 'unavailable')],
  ])('does not repeat a POST without a key after %s: it might take effect twice', async (_, answer) => {
    const { result, bodies } = await send([answer, ok], { method: 'POST' });
    expect(result).toBeInstanceOf(Error);
    expect(bodies).toHaveLength(1);
  });

  test.each(['rate-limited', 'too-many-connections'])('repeats a POST without a key after %s', async (code) => {
    const { result } = await send([problem(503, code), ok], { method: 'POST' });
    expect(result).toBe(201);
  });

  test.each([400, 403, 404, 409])('never repeats a refusal with %i', async (status) => {
    const { result, bodies } = await send([problem(status, 'invalid-request'), ok]);
    expect(result).toMatchObject({ name: 'ProblemError', status });
    expect(bodies).toHaveLength(1);
  });

  test('gives up after as many attempts as it may, with the last error', async () => {
    const { result, bodies } = await send([lost, lost, lost, lost, problem(503, 'unavailable')]);
    expect(result).toMatchObject({ code: 'unavailable' });
    expect(bodies).toHaveLength(5);
  });

  test('does not wait longer than 10 s for Retry-After', async () => {
    const { result, bodies } = await send([problem(429, 'rate-limited', { 'retry-after': '11' }), ok]);
    expect(result).toMatchObject({ code: 'rate-limited' });
    expect(bodies).toHaveLength(1);
  });

  test('takes a 404 for success when it repeats a DELETE', async () => {
    const { result } = await send([lost, problem(404, 'not-found')], { method: 'DELETE' });
    expect(result).toBe(204);
    const first = await send([problem(404, 'not-found')], { method: 'DELETE' });
    expect(first.result).toMatchObject({ code: 'not-found' });
  });
});
