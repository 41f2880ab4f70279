import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { EventSource } from 'eventsource';
import { describe, test } from 'vitest';
import { buildEventAppends, driveEventLog } from '../../drivers/app/log-drivers.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { openTestService } from '../../drivers/app/test-service.ts';
import { openStream } from '../../drivers/streams/stream-client.ts';

const log = driveEventLog(() => service);
const onlyCreated = { filter: { ...noFilter, types: ['widget.created'] as const } };
const service = await openSharedService({}, {}, { fanOut: { heartbeatIntervalMs: 100, lifetimeMs: 1_500 } });

describe('GET /api/v1/events/{token} with a filter', () => {
  test.concurrent('sends stream.position while a filter holds back all events, so that the client resumes from there', async ({
    expect,
  }) => {
    const { url } = await service.issueStreamUrl(onlyCreated);
    const sentLastEventIds: (string | null)[] = [];
    const source = new EventSource(url, {
      fetch: (input, init) => {
        sentLastEventIds.push(new Headers(init.headers).get('last-event-id'));
        return fetch(input, init);
      },
    });
    const waitForNext = (event: string) =>
      new Promise<MessageEvent>((resolve) => source.addEventListener(event, resolve, { once: true }));
    const opened = await waitForNext('stream.open');
    const { last } = await log.append(buildEventAppends(3));
    const position = await waitForNext('stream.position');
    expect(position.data).toBe('{}');
    expect(position.lastEventId).toMatch(new RegExp(`\\.${last.seq}$`));
    expect(position.lastEventId).not.toBe(opened.lastEventId);
    // The stream reaches its lifetime, and the EventSource reconnects by itself.
    const reopened = await waitForNext('stream.open');
    expect(sentLastEventIds).toEqual([null, position.lastEventId]);
    expect(JSON.parse(reopened.data)).toMatchObject({ resumed: true, cursor: position.lastEventId });
    source.close();
  });

  test.concurrent('sends stream.position before stream.closing', async ({ expect }) => {
    const slow = await openTestService({}, {}, { fanOut: { heartbeatIntervalMs: 60_000, lifetimeMs: 1_000 } });
    const { url } = await slow.issueStreamUrl(onlyCreated);
    const stream = await openStream(url);
    await stream.until(() => stream.events.length > 0, 'stream.open');
    const { last } = await driveEventLog(() => slow).append(buildEventAppends(2));
    await stream.ended;
    expect(stream.events.map(({ event }) => event)).toEqual(['stream.open', 'stream.position', 'stream.closing']);
    expect(stream.events[1]).toMatchObject({ data: '{}', id: expect.stringMatching(new RegExp(`\\.${last.seq}$`)) });
    expect(stream.events[2]).toMatchObject({ data: '{"reason":"lifetime"}', id: '' });
    await slow.close();
  });
});
