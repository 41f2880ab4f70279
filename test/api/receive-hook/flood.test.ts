import { describe, expect, onTestFinished, test } from 'vitest';
import { openTestService } from '../../drivers/app/test-service.ts';
import { openStream } from '../../drivers/streams/stream-client.ts';

/** The history: room for 17 of the large bodies. */
const retentionBytes = 1_048_576;
/** A burst of 70 permits, and 14 a second. A large body costs 15. */
const seventyPermits = { HOOK_RATE_PER_SECOND: '14' };
/** Each one differs, so that none is a duplicate. */
const makeBigPayload = (number: number) => ({ number, text: 'x'.repeat(60_000) });

async function post(url: string, payload: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString(), payload }),
  });
  const code = response.status === 202 ? '' : ((await response.json()) as { code: string }).code;
  const { headers } = response;
  const [policy, retryAfter] = [headers.get('ratelimit-policy'), headers.get('retry-after')];
  return { status: response.status, code, policy, retryAfter };
}

/** Counts answers by status and code. */
function count(answers: readonly { readonly status: number; readonly code: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const key = `${status} ${code}`.trim();
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('an integration that floods the service with large bodies', () => {
  test('gets 429 beyond its rate, and does not push the events of another one out of the history', async () => {
    const service = await openTestService(
      seventyPermits,
      { retentionBytes },
      // A small ring: the pod's own memory must not hide what the log no longer has.
      { fanOut: { ringBytes: 65_536 } },
    );
    onTestFinished(() => service.close());
    const [flooder, other, { url }] = await Promise.all([
      service.issueHookUrl(),
      service.issueHookUrl(),
      service.issueStreamUrl(),
    ]);
    const live = await openStream(url);
    onTestFinished(() => live.close());
    expect((await post(other, { number: 0 })).status).toBe(202);
    await live.until(() => live.widgetEvents().length === 1, 'the first event');
    const position = live.lastEventId();

    const [flood, others] = await Promise.all([
      Promise.all(Array.from({ length: 60 }, (_, index) => post(flooder, makeBigPayload(index)))),
      Promise.all(Array.from({ length: 20 }, (_, index) => post(other, { number: index + 1 }))),
    ]);
    console.log('flooder', count(flood), 'other', count(others));
    const accepted = [...flood, ...others].filter(({ status }) => status === 202).length;
    await live.until(() => live.widgetEvents().length === 1 + accepted, 'all events');
    const { eventLog, runs } = service.backend;
    await eventLog.trim(await runs.lastPosition());
    const resumed = await openStream(url, { lastEventId: position });
    onTestFinished(() => resumed.close());
    await resumed.until(() => resumed.events.length > 1, 'the first messages');
    expect(resumed.events.slice(0, 2).map(({ event }) => event)).not.toContain('stream.gap');
    expect(JSON.parse(resumed.events[0]?.data ?? '{}')).toMatchObject({ resumed: true });
    expect(count(others)).toEqual({ '202': 20 });
    // 4 at once, and one more for each second that the flood takes.
    const floodAccepted = flood.filter(({ status }) => status === 202).length;
    expect(floodAccepted).toBeGreaterThanOrEqual(4);
    expect(floodAccepted).toBeLessThanOrEqual(12);
    const refused = flood.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['rate-limited']));
    expect(new Set(refused.map(({ policy }) => policy))).toEqual(new Set(['"hooks";q=70;w=5']));
    expect(Math.min(...refused.map(({ retryAfter }) => Number(retryAfter)))).toBeGreaterThanOrEqual(1);
  });

  test('also counts the size of a body without Content-Length', async () => {
    const service = await openTestService({ HOOK_RATE_PER_SECOND: '4' });
    onTestFinished(() => service.close());
    const url = await service.issueHookUrl();
    const statuses: number[] = [];
    for (let number = 0; number < 3; number += 1) {
      const text = JSON.stringify({
        kind: 'updated',
        occurredAt: '2026-03-01T10:00:00Z',
        payload: makeBigPayload(number),
      });
      const body = new Blob([text]).stream();
      const headers = { 'content-type': 'application/json' };
      statuses.push((await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)).status);
    }
    expect(statuses).toEqual([202, 429, 429]);
  });

  test('accepts a body without Content-Length that costs more than the burst', async () => {
    const service = await openTestService({ HOOK_RATE_PER_SECOND: '1' });
    onTestFinished(() => service.close());
    const url = await service.issueHookUrl();
    const event = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: makeBigPayload(0) };
    const body = new Blob([JSON.stringify(event)]).stream();
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    expect(response.status).toBe(202);
  });

  test('gets payload-too-large for a body above the limit each time, which costs its other hooks nothing', async () => {
    const service = await openTestService(seventyPermits);
    onTestFinished(() => service.close());
    const url = await service.issueHookUrl();
    const tooLarge = { text: 'x'.repeat(300_000) };
    const codes: string[] = [];
    for (const payload of [{}, tooLarge, tooLarge, {}]) codes.push((await post(url, payload)).code);
    expect(codes).toEqual(['', 'payload-too-large', 'payload-too-large', '']);
  });
});
