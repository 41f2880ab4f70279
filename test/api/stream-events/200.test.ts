import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { openStream } from '../../drivers/streams/stream-client.ts';

const service = await openSharedService({ STREAMS_PER_OWNER: '2' });

async function postHook(url: string, number: number): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'updated', occurredAt: '2026-01-01T00:00:00Z', payload: { number } }),
  });
  expect(response.status).toBe(202);
  return response.headers.get('webhook-event-id') ?? '';
}

/** Reads the text of a stream up to and including the padding comment. */
function readFirstText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (!/\n:.*\n\n/.test(text)) return;
        request.destroy();
        resolve(text);
      });
    });
    request.once('error', reject);
  });
}

describe('GET /api/v1/events/{token}', () => {
  test('returns headers that prevent buffering, caching and leaking of the token', async () => {
    const { url } = await service.issueStreamUrl();
    const stream = await openStream(url);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache,no-transform',
      'x-accel-buffering': 'no',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(stream.headers['access-control-allow-credentials']).toBeUndefined();
    expect(stream.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    stream.close();
  });

  test('begins with stream.open, a random retry of 2 to 5 s and a comment of 2 KiB', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const text = await readFirstText(url);
    const match = /^id: (\S+)\nevent: stream\.open\ndata: (.*)\nretry: (\d+)\n:( +)\n\n$/.exec(text);
    expect(match).not.toBeNull();
    const [, id, data = '', retry, comment] = match ?? [];
    expect(id).toMatch(/^[0-9a-z]+\.\d+\.\d+$/);
    expect(JSON.parse(data)).toEqual({ subscriptionId, cursor: id, resumed: false, heartbeatSeconds: 15 });
    expect(Number(retry)).toBeGreaterThanOrEqual(2_000);
    expect(Number(retry)).toBeLessThanOrEqual(5_000);
    expect(comment?.length).toBe(2_048);
  });
});

describe('GET /api/v1/events/{token}: the event of a hook', () => {
  test('has its position as SSE id, and the event id in its data', async () => {
    const [{ url }, hookUrl] = [await service.issueStreamUrl(), await service.issueHookUrl()];
    const stream = await openStream(url);
    await stream.until(() => stream.events.length > 0, 'stream.open');
    const eventId = await postHook(hookUrl, 1);
    await stream.until(() => stream.widgetEvents().some((event) => event.data.includes(eventId)), 'the event');
    const event = stream.widgetEvents().find(({ data }) => data.includes(eventId));
    expect(event).toMatchObject({ event: 'widget.updated', id: expect.stringMatching(/^[0-9a-z]+\.\d+\.\d+$/) });
    expect(JSON.parse(event?.data ?? '')).toMatchObject({
      id: eventId,
      type: 'widget.updated',
      data: { payload: { number: 1 } },
    });
    stream.close();
  });

  test('is sent once when the hook is posted twice', async () => {
    const [{ url }, hookUrl] = [await service.issueStreamUrl(), await service.issueHookUrl()];
    const stream = await openStream(url);
    await stream.until(() => stream.events.length > 0, 'stream.open');
    const ids = [await postHook(hookUrl, 2), await postHook(hookUrl, 2), await postHook(hookUrl, 3)];
    expect(ids[1]).toBe(ids[0]);
    await stream.until(
      () => stream.widgetEvents().some((event) => event.data.includes(ids[2] ?? '')),
      'the other hook',
    );
    expect(stream.widgetEvents().filter((event) => event.data.includes(ids[0] ?? ''))).toHaveLength(1);
    stream.close();
  });
});

describe('GET /api/v1/events/{token}: resuming', () => {
  test('resumes after the position of Last-Event-ID, which takes precedence over ?lastEventId=', async () => {
    const [{ url }, hookUrl] = [await service.issueStreamUrl(), await service.issueHookUrl()];
    const stream = await openStream(url);
    await stream.until(() => stream.events.length > 0, 'stream.open');
    const first = await postHook(hookUrl, 10);
    await stream.until(() => stream.widgetEvents().some((event) => event.data.includes(first)), 'the first');
    const position = stream.lastEventId();
    stream.close();
    const second = await postHook(hookUrl, 11);
    const resumed = await openStream(`${url}?lastEventId=earliest&unknown=1`, { lastEventId: position });
    await resumed.until(() => resumed.widgetEvents().length > 0, 'the second');
    expect(JSON.parse(resumed.events[0]?.data ?? '')).toMatchObject({ resumed: true, cursor: position });
    expect(resumed.widgetEvents()[0]?.data).toContain(second);
    resumed.close();
  });

  test('replays every kept event for earliest', async () => {
    const [{ url }, hookUrl] = [await service.issueStreamUrl(), await service.issueHookUrl()];
    const eventId = await postHook(hookUrl, 20);
    const stream = await openStream(`${url}?lastEventId=earliest`);
    await stream.until(() => stream.widgetEvents().some((event) => event.data.includes(eventId)), 'the event');
    expect(stream.events[0]).toMatchObject({ event: 'stream.open' });
    stream.close();
  });

  test.each([
    ['yesterday', 'malformed'],
    ['other.1764000000000.7', 'epoch-changed'],
  ])('sends stream.gap first for the position %s, with the reason %s', async (requested, reason) => {
    const { url } = await service.issueStreamUrl();
    const stream = await openStream(url, { lastEventId: requested });
    await stream.until(() => stream.events.length > 1, 'gap and open');
    expect(stream.events.slice(0, 2).map((event) => event.event)).toEqual(['stream.gap', 'stream.open']);
    const [gap, open] = stream.events.map((event) => JSON.parse(event.data));
    expect(gap).toEqual({ requested, resumedFrom: stream.events[0]?.id, reason });
    expect(open).toMatchObject({ resumed: false, cursor: gap.resumedFrom });
    stream.close();
  });
});

describe('GET, HEAD and OPTIONS /api/v1/events/{token}', () => {
  test('returns 200 and closes with stream.closing too-many-connections beyond the limit of the token', async () => {
    const { url } = await service.issueStreamUrl();
    const open = [await openStream(url), await openStream(url)];
    await Promise.all(open.map((stream) => stream.until(() => stream.events.length > 0, 'stream.open')));
    const rejected = await openStream(url);
    expect(rejected.status).toBe(200);
    await rejected.ended;
    expect(rejected.events).toEqual([{ id: '', event: 'stream.closing', data: '{"reason":"too-many-connections"}' }]);
    open[0]?.close();
    for (let tries = 0; ; tries += 1) {
      const retried = await openStream(url);
      await retried.until(() => retried.events.length > 0, 'the first event');
      retried.close();
      if (retried.events[0]?.event === 'stream.open') break;
      expect(tries).toBeLessThan(100);
    }
    open[1]?.close();
  });

  test('answers HEAD without opening a stream, and OPTIONS with the CORS headers', async () => {
    const { url } = await service.issueStreamUrl();
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const options = await fetch(url, { method: 'OPTIONS' });
    expect(options.status).toBe(204);
    expect(Object.fromEntries(options.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'Last-Event-ID, Cache-Control',
      'access-control-max-age': '86400',
    });
  });
});
