import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, test } from 'vitest';
import { driveEventLog, looseAppends } from '../../drivers/event-log-driver.ts';
import { openStream } from '../../drivers/stream-client.ts';
import { openTestService, type TestService } from '../../drivers/test-service.ts';

let service: TestService;
const log = driveEventLog(() => service);
const onlyCreated = { filter: { ...noFilter, types: ['widget.created'] as const } };
beforeAll(async () => {
  service = await openTestService({ HEARTBEAT_INTERVAL_MS: '100', STREAM_LIFETIME_MS: '1500' });
});
afterAll(() => service.close());

test.concurrent('a client that a filter keeps waiting comes back with a young position', async ({ expect }) => {
  const { url } = await service.issueStreamUrl(onlyCreated);
  const askedWith: (string | null)[] = [];
  const source = new EventSource(url, {
    fetch: (input, init) => {
      askedWith.push(new Headers(init.headers).get('last-event-id'));
      return fetch(input, init);
    },
  });
  const next = (event: string) =>
    new Promise<MessageEvent>((resolve) => source.addEventListener(event, resolve, { once: true }));
  const opened = await next('stream.open');
  const { last } = await log.append(looseAppends(3));
  const position = await next('stream.position');
  expect(position.data).toBe('{}');
  expect(position.lastEventId).toMatch(new RegExp(`\\.${last.seq}$`));
  expect(position.lastEventId).not.toBe(opened.lastEventId);
  // The stream has come to its end, and the client asks again by itself.
  const again = await next('stream.open');
  expect(askedWith).toEqual([null, position.lastEventId]);
  expect(JSON.parse(again.data)).toMatchObject({ resumed: true, cursor: position.lastEventId });
  source.close();
});

test.concurrent('a stream that ends tells how far it was, with the end', async ({ expect }) => {
  const slow = await openTestService({ HEARTBEAT_INTERVAL_MS: '60000', STREAM_LIFETIME_MS: '1000' });
  const { url } = await slow.issueStreamUrl(onlyCreated);
  const stream = await openStream(url);
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const { last } = await driveEventLog(() => slow).append(looseAppends(2));
  await stream.ended;
  expect(stream.events.map(({ event }) => event)).toEqual(['stream.open', 'stream.position', 'stream.closing']);
  expect(stream.events[1]).toMatchObject({ data: '{}', id: expect.stringMatching(new RegExp(`\\.${last.seq}$`)) });
  expect(stream.events[2]).toMatchObject({ data: '{"reason":"lifetime"}', id: '' });
  await slow.close();
});
