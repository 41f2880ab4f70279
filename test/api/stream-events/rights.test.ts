import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { HookKind } from '@widget-service/shared/domain/hook-event.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { toEventWithoutWidget } from '@widget-service/shared/domain/widget-event.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectEndedInTime, expectNothingOutside } from '../../checkers/nothing-outside-the-filter.ts';
import { aDelivery } from '../../drivers/builders.ts';
import { driveEventLog } from '../../drivers/event-log-driver.ts';
import { eventually } from '../../drivers/eventually.ts';
import { openStream, type StreamClient } from '../../drivers/stream-client.ts';
import { signInThroughPorts, type TestCaller } from '../../drivers/test-app.ts';
import { openTestService, type TestService } from '../../drivers/test-service.ts';

let service: TestService;
const log = driveEventLog(() => service);
beforeAll(async () => {
  service = await openTestService({ STREAMS_PER_TOKEN: '3', HEARTBEAT_INTERVAL_MS: '15000' });
});
afterAll(() => service.close());

async function open(url: string): Promise<StreamClient> {
  const stream = await openStream(url);
  await stream.until(() => stream.events.length > 0, 'the first event');
  return stream;
}

async function endOf(stream: StreamClient): Promise<number> {
  await stream.ended;
  return Date.now();
}

const digestIn = (url: string) => sha256Hex(url.split('/').at(-1) ?? '');
const append = (kind: HookKind) => {
  const event = toEventWithoutWidget(aDelivery({ kind }));
  return log.append([{ event, mark: { kind: 'event', eventId: event.eventId } }]);
};
const statusOf = async (url: string) => (await fetch(url, { method: 'HEAD' })).status;

describe('a subscription', () => {
  test('that is revoked ends its streams within 2 s, and no others; its address is gone', async () => {
    const [revoked, other] = [await service.issueStreamUrl(), await service.issueStreamUrl()];
    const streams = [await open(revoked.url), await open(revoked.url)];
    const left = await open(other.url);
    await service.backend.subscriptions.remove(revoked.subscriptionId);
    await service.backend.control.announce({ kind: 'subscription', id: revoked.subscriptionId, change: 'revoked' });
    const sinceMs = Date.now();
    for (const stream of streams) expectEndedInTime(stream, 'revoked', { sinceMs, endedAtMs: await endOf(stream) });
    expect(streams[0]?.events.at(-1)).toEqual({ id: '', event: 'stream.closing', data: '{"reason":"revoked"}' });
    expect(await statusOf(revoked.url)).toBe(404);
    await append('updated');
    await left.until(() => left.widgetEvents().length > 0, 'the next event');
    left.close();
  });

  test('that is given another filter has it on its open streams within 2 s', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const stream = await open(url);
    await append('updated');
    await stream.until(() => stream.widgetEvents().length === 1, 'an event before');
    const filter = { ...noFilter, types: ['widget.created'] as const };
    await service.backend.subscriptions.update(subscriptionId, { filter });
    await service.backend.control.announce({ kind: 'subscription', id: subscriptionId, change: 'changed' });
    /** What comes of one event of each kind; the one that passes both filters is the later one. */
    const tryBoth = async () => {
      const before = stream.widgetEvents().length;
      await append('updated');
      await append('created');
      const since = () => stream.widgetEvents().slice(before);
      await stream.until(() => since().some(({ event }) => event === 'widget.created'), 'what passes both');
      return since();
    };
    await eventually(async () => (await tryBoth()).length === 1, 'the new filter holds', 2_000);
    expectNothingOutside(filter, await tryBoth());
    stream.close();
  });

  test('that ends by itself ends its streams then', async () => {
    const expiresAt = new Date(Date.now() + 1_500);
    const { url } = await service.issueStreamUrl({ expiresAt });
    const stream = await open(url);
    const endedAtMs = await endOf(stream);
    expect(endedAtMs).toBeGreaterThanOrEqual(expiresAt.getTime());
    expectEndedInTime(stream, 'expired', { sinceMs: expiresAt.getTime(), endedAtMs });
    expect(stream.events.at(-1)).toEqual({ id: '', event: 'stream.closing', data: '{"reason":"expired"}' });
    expect(await statusOf(url)).toBe(404);
  });

  test('whose token was replaced serves the old one until its end, and the new one on', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const old = await open(url);
    const token = mintToken('wst');
    const expiresAt = new Date(Date.now() + 1_500);
    const replacedDigest = digestIn(url);
    await service.backend.subscriptions.replaceTokens(subscriptionId, {
      replacedDigest,
      token: { digest: sha256Hex(token), sealedSecret: null },
      previousToken: { digest: replacedDigest, sealedSecret: null, expiresAt },
    });
    await service.backend.control.announce({ kind: 'subscription', id: subscriptionId, change: 'changed' });
    const fresh = await open(url.replace(/wst_.*/, token));
    const again = await open(url);
    for (const stream of [old, again]) {
      expectEndedInTime(stream, 'expired', { sinceMs: expiresAt.getTime(), endedAtMs: await endOf(stream) });
    }
    expect(await statusOf(url)).toBe(404);
    await append('updated');
    await fresh.until(() => fresh.widgetEvents().length > 0, 'the next event');
    fresh.close();
  });

  test('remembers when it was last connected', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const sinceMs = Date.now();
    const stream = await open(url);
    await eventually(async () => {
      const { lastUsedAt = null } = (await service.backend.subscriptions.get(subscriptionId)) ?? {};
      return lastUsedAt !== null && lastUsedAt.getTime() >= sinceMs;
    }, 'lastUsedAt is written');
    stream.close();
  });
});

describe('a person’s own stream', () => {
  async function openPersonal(person: TestCaller, expiresInMs = 3_600_000) {
    const token = mintToken('wst');
    const expiresAt = new Date(Date.now() + expiresInMs);
    const sessionDigest = sha256Hex(person.sessionId);
    await service.backend.personalStreams.insert({
      tokenDigest: sha256Hex(token),
      userId: person.userId,
      sessionDigest,
      expiresAt,
    });
    const url = `${service.url}/api/v1/events/${token}`;
    return { url, expiresAt, stream: await open(url) };
  }

  test('opens like any other, without a subscription, and gets everything', async () => {
    const { stream } = await openPersonal(await signInThroughPorts(service.backend, 'viewer'));
    expect(JSON.parse(stream.events[0]?.data ?? '')).toMatchObject({ subscriptionId: null, resumed: false });
    await append('created');
    await append('updated');
    await stream.until(() => stream.widgetEvents().length === 2, 'both events');
    stream.close();
  });

  test('ends with its session', async () => {
    const person = await signInThroughPorts(service.backend, 'viewer');
    const { url, stream } = await openPersonal(person);
    await service.backend.sessions.remove(sha256Hex(person.sessionId));
    await service.backend.control.announce({ kind: 'session', id: sha256Hex(person.sessionId), change: 'revoked' });
    expectEndedInTime(stream, 'revoked', { sinceMs: Date.now(), endedAtMs: await endOf(stream) });
    expect(await statusOf(url)).toBe(404);
  });

  test('ends when the person is disabled', async () => {
    const person = await signInThroughPorts(service.backend, 'viewer');
    const { url, stream } = await openPersonal(person);
    await service.backend.users.update(person.userId, { disabled: true });
    await service.backend.control.announce({ kind: 'user', id: person.userId, change: 'changed' });
    expectEndedInTime(stream, 'revoked', { sinceMs: Date.now(), endedAtMs: await endOf(stream) });
    expect(await statusOf(url)).toBe(404);
  });

  test('ends by itself', async () => {
    const { url, stream, expiresAt } = await openPersonal(await signInThroughPorts(service.backend, 'viewer'), 1_500);
    expectEndedInTime(stream, 'expired', { sinceMs: expiresAt.getTime(), endedAtMs: await endOf(stream) });
    expect(await statusOf(url)).toBe(404);
  });

  test('counts with the person’s others, whatever session they hang on', async () => {
    const person = await signInThroughPorts(service.backend, 'viewer');
    const open = [await openPersonal(person), await openPersonal(person), await openPersonal(person)];
    const { stream: refused } = await openPersonal(person);
    expect(refused.events).toEqual([{ id: '', event: 'stream.closing', data: '{"reason":"too-many-connections"}' }]);
    for (const { stream } of open) stream.close();
  });
});
