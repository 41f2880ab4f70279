import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { HookKind } from '@widget-service/shared/domain/event-kind.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { toEventWithoutWidget } from '@widget-service/shared/domain/widget-event.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { expectEndedInTime, expectNothingOutside } from '../../checkers/nothing-outside-the-entitlement.ts';
import { aDelivery } from '../../drivers/app/builders.ts';
import { driveEventLog } from '../../drivers/app/log-drivers.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { signInThroughPorts, startSession, type TestCaller } from '../../drivers/app/test-app.ts';
import { openStream, type StreamClient } from '../../drivers/streams/stream-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const log = driveEventLog(() => service);
const service = await openSharedService({ STREAMS_PER_OWNER: '3' }, {}, { isUnmeasured: true });

async function open(url: string, options: Parameters<typeof openStream>[1] = {}): Promise<StreamClient> {
  const stream = await openStream(url, options);
  await stream.until(() => stream.events.length > 0, 'the first event');
  return stream;
}

async function waitForEndMs(stream: StreamClient): Promise<number> {
  await stream.ended;
  return Date.now();
}

const computeTokenDigest = (url: string) => sha256Hex(url.split('/').at(-1) ?? '');
const append = (kind: HookKind) => {
  const event = toEventWithoutWidget(aDelivery({ kind }));
  return log.append([{ event, mark: { kind: 'event', eventId: event.eventId } }]);
};
const fetchStatus = async (url: string) => (await fetch(url, { method: 'HEAD' })).status;

describe('GET /api/v1/events/{token} of a subscription', () => {
  test('ends within 2 s after the subscription is revoked, and returns 404; other streams stay open', async () => {
    const [revoked, other] = [await service.issueStreamUrl(), await service.issueStreamUrl()];
    const streams = [await open(revoked.url), await open(revoked.url)];
    const unaffected = await open(other.url);
    await service.backend.subscriptions.remove(revoked.subscriptionId);
    await service.backend.control.announce({ kind: 'subscription', id: revoked.subscriptionId, change: 'revoked' });
    const sinceMs = Date.now();
    for (const stream of streams)
      expectEndedInTime(stream, 'revoked', { sinceMs, endedAtMs: await waitForEndMs(stream) });
    expect(streams[0]?.events.at(-1)).toEqual({ id: '', event: 'stream.closing', data: '{"reason":"revoked"}' });
    expect(await fetchStatus(revoked.url)).toBe(404);
    await append('updated');
    await unaffected.until(() => unaffected.widgetEvents().length > 0, 'the next event');
    unaffected.close();
  });

  test('applies a changed filter to open streams within 2 s', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const stream = await open(url);
    await append('updated');
    await stream.until(() => stream.widgetEvents().length === 1, 'an event before');
    const filter = { ...noFilter, types: ['widget.created'] as const };
    await service.backend.subscriptions.change(subscriptionId, () => ({ filter }));
    await service.backend.control.announce({ kind: 'subscription', id: subscriptionId, change: 'changed' });
    /** Appends an `updated` and then a `created` event, which passes both filters. Returns what arrived. */
    const appendBoth = async () => {
      const before = stream.widgetEvents().length;
      await append('updated');
      await append('created');
      const listNewEvents = () => stream.widgetEvents().slice(before);
      await stream.until(
        () => listNewEvents().some(({ event }) => event === 'widget.created'),
        'the event that passes both filters',
      );
      return listNewEvents();
    };
    await eventually(async () => (await appendBoth()).length === 1, 'the new filter applies', 2_000);
    expectNothingOutside(filter, await appendBoth());
    stream.close();
  });

  test('ends with the reason expired when the subscription expires', async () => {
    const expiresAt = new Date(Date.now() + 1_500);
    const { url } = await service.issueStreamUrl({ expiresAt });
    const stream = await open(url);
    const endedAtMs = await waitForEndMs(stream);
    expect(endedAtMs).toBeGreaterThanOrEqual(expiresAt.getTime());
    expectEndedInTime(stream, 'expired', { sinceMs: expiresAt.getTime(), endedAtMs });
    expect(stream.events.at(-1)).toEqual({ id: '', event: 'stream.closing', data: '{"reason":"expired"}' });
    expect(await fetchStatus(url)).toBe(404);
  });

  test('serves the new token at once, and the previous token until the overlap of the rotation ends', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const openedBefore = await open(url);
    const token = mintToken('wst');
    const expiresAt = new Date(Date.now() + 1_500);
    const replaced = { digest: computeTokenDigest(url), sealedSecret: null };
    await service.backend.subscriptions.change(subscriptionId, () => ({
      token: { digest: sha256Hex(token), sealedSecret: null },
      tokenIssuedAt: new Date(),
      previousToken: { ...replaced, expiresAt },
    }));
    await service.backend.control.announce({ kind: 'subscription', id: subscriptionId, change: 'changed' });
    const newStream = await open(url.replace(/wst_.*/, token));
    const openedDuring = await open(url);
    for (const stream of [openedBefore, openedDuring]) {
      const endedAtMs = await waitForEndMs(stream);
      expect(endedAtMs).toBeGreaterThanOrEqual(expiresAt.getTime());
      expectEndedInTime(stream, 'expired', { sinceMs: expiresAt.getTime(), endedAtMs });
    }
    expect(await fetchStatus(url)).toBe(404);
    await append('updated');
    await newStream.until(() => newStream.widgetEvents().length > 0, 'the next event');
    newStream.close();
  });

  test('records when the subscription was last used', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const sinceMs = Date.now();
    const stream = await open(url);
    await eventually(async () => {
      const { lastUsedAt = null } = (await service.backend.subscriptions.get(subscriptionId)) ?? {};
      return lastUsedAt !== null && lastUsedAt.getTime() >= sinceMs;
    }, 'lastUsedAt is recorded');
    stream.close();
  });
});

describe('GET /api/v1/session/stream', () => {
  const url = `${service.url}/api/v1/session/stream`;
  const openPersonal = ({ cookie }: Pick<TestCaller, 'cookie'>, lastEventId?: string) =>
    open(url, { headers: { cookie }, ...(lastEventId === undefined ? {} : { lastEventId }) });
  const fetchCode = async ({ cookie }: TestCaller) =>
    ((await (await fetch(url, { headers: { cookie } })).json()) as { code: string }).code;

  test('sends every event, and has no subscription id', async () => {
    const stream = await openPersonal(await signInThroughPorts(service.backend, 'viewer'));
    expect(JSON.parse(stream.events[0]?.data ?? '')).toMatchObject({ subscriptionId: null, resumed: false });
    await append('created');
    await append('updated');
    await stream.until(() => stream.widgetEvents().length === 2, 'both events');
    stream.close();
  });

  test('resumes after the event that the client names', async () => {
    const user = await signInThroughPorts(service.backend, 'viewer');
    const first = await openPersonal(user);
    await append('created');
    await first.until(() => first.widgetEvents().length === 1, 'the event');
    first.close();
    await append('updated');
    const second = await openPersonal(user, first.events.at(-1)?.id);
    await second.until(() => second.widgetEvents().length === 1, 'the event after it');
    expect(second.events.map(({ event }) => event)).toEqual(['stream.open', 'widget.updated']);
    second.close();
  });

  test('answers 200 while no store can verify its session: another status would end an EventSource for good', async () => {
    const user = await signInThroughPorts(service.backend, 'viewer');
    const get = vi.spyOn(service.backend.sessions, 'get').mockRejectedValue(new UnavailableError('the store is away'));
    onTestFinished(() => get.mockRestore());
    const stream = await openPersonal(user);
    expect(stream.events).toEqual([{ id: '', event: 'stream.closing', data: '{"reason":"unavailable"}' }]);
    expect((await fetch(url, { method: 'HEAD', headers: { cookie: user.cookie } })).status).toBe(503);
  });

  test('ends when its session is revoked', async () => {
    const user = await signInThroughPorts(service.backend, 'viewer');
    const stream = await openPersonal(user);
    await service.backend.sessions.remove(sha256Hex(user.sessionId));
    await service.backend.control.announce({ kind: 'session', id: sha256Hex(user.sessionId), change: 'revoked' });
    expectEndedInTime(stream, 'revoked', { sinceMs: Date.now(), endedAtMs: await waitForEndMs(stream) });
    expect(await fetchCode(user)).toBe('not-authenticated');
  });

  test('ends when the user is disabled', async () => {
    const user = await signInThroughPorts(service.backend, 'viewer');
    const stream = await openPersonal(user);
    await service.backend.users.change(user.userId, () => ({ disabled: true }));
    await service.backend.control.announce({ kind: 'user', id: user.userId, change: 'changed' });
    expectEndedInTime(stream, 'revoked', { sinceMs: Date.now(), endedAtMs: await waitForEndMs(stream) });
    expect(await fetchCode(user)).toBe('not-authenticated');
  });

  test('ends with the reason expired at the end of its session', async () => {
    const user = await signInThroughPorts(service.backend, 'viewer');
    const sessionId = await startSession(service.backend, user.userId, { sessionLifetimeMs: 1_500 });
    const sinceMs = Date.now() + 1_500;
    const stream = await openPersonal({ cookie: `service_console=${sessionId}` });
    await stream.ended;
    expect(stream.events.at(-1)?.data).toBe('{"reason":"expired"}');
    expect(Date.now()).toBeLessThan(sinceMs + 2_000);
  });

  test('counts the streams of all sessions of one user together', async () => {
    const user = await signInThroughPorts(service.backend, 'viewer');
    const other = { cookie: `service_console=${await startSession(service.backend, user.userId)}` };
    const opened = [await openPersonal(user), await openPersonal(user), await openPersonal(other)];
    const refused = await openPersonal(other);
    expect(refused.events).toEqual([{ id: '', event: 'stream.closing', data: '{"reason":"too-many-connections"}' }]);
    for (const stream of opened) stream.close();
  });
});
