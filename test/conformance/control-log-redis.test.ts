import { randomBytes } from 'node:crypto';
import { openBlockingReadConnection, openFailFastConnection } from '@widget-service/cluster/redis/connections.ts';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisControlLog } from '@widget-service/cluster/redis/redis-control-log.ts';
import type { ControlEntry, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { buildNumberedEntries, openTailAtEnd } from '../drivers/app/log-drivers.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** The embedded control log lives in the memory of one process, so it cannot lose entries that the process has. */
describe.runIf(inject('backend') === 'cluster')('RedisControlLog: losses and outages of Redis', () => {
  let redis: Redis;
  let proxy: TcpProxy;
  let proxied: Redis;
  let keys: ReturnType<typeof redisKeys>;
  let log: RedisControlLog;
  beforeAll(async () => {
    const url = new URL(findQueueRedis().operatorUrl);
    redis = new Redis(url.href);
    proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
  });
  beforeEach(async () => {
    keys = redisKeys(`t-${randomBytes(8).toString('hex')}`);
    proxied?.disconnect();
    const target = {
      url: `redis://127.0.0.1:${proxy.port}/`,
      setting: 'REDIS_URL',
      onWarning: () => undefined,
    } as const;
    proxied = openFailFastConnection(target, 'test');
    await proxied.ping().catch(() => new Promise((resolve) => proxied.once('ready', resolve)));
    const connectTail = () => openBlockingReadConnection(target, 'test');
    log = new RedisControlLog(proxied, keys, connectTail);
    return async () => {
      await log.close();
      await redis.del(keys.control);
    };
  });
  afterAll(async () => {
    proxied?.disconnect();
    await proxy?.close();
    redis?.disconnect();
  });

  const anEntry = () => buildNumberedEntries(1)[0] as ControlEntry;
  /** Opens a tail and reads one entry with it. */
  async function openTailAfterEntry() {
    const tail = await openTailAtEnd(log);
    await expectNextEntry(tail);
    return tail;
  }

  async function expectNextEntry(tail: ControlTail, mayHaveMissed = false): Promise<void> {
    const entry = anEntry();
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed });
  }

  /**
   * Waits for the next millisecond of the Redis clock. The id of an entry is its time, so a log that is deleted and
   * written within one millisecond could give the same id again.
   */
  async function waitForNextRedisMillisecond(): Promise<void> {
    const nowMs = async () => {
      const [seconds, microseconds] = await redis.time();
      return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    };
    const startMs = await nowMs();
    while ((await nowMs()) <= startMs);
  }

  test('sets mayHaveMissed when Redis lost the log and nothing was announced since', async () => {
    const tail = await openTailAfterEntry();
    await redis.del(keys.control);
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: false });
  });

  test('sets mayHaveMissed when Redis lost the log and an entry was announced since, and returns the entry', async () => {
    const tail = await openTailAfterEntry();
    await redis.del(keys.control);
    await waitForNextRedisMillisecond();
    const [entry, next] = buildNumberedEntries(2) as [ControlEntry, ControlEntry];
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: true });
    await log.announce(next);
    expect(await tail.next()).toEqual({ entries: [next], mayHaveMissed: false });
  });

  test('sets mayHaveMissed when a new log begins before the position of the tail (clock set back)', async () => {
    const tail = await openTailAtEnd(log);
    const inAnHour = `${Date.now() + 3_600_000}-0`;
    await redis.xadd(keys.control, inAnHour, 'j', '{"version":1,"kind":"user","id":"u","change":"changed"}');
    expect((await tail.next()).entries).toHaveLength(1);
    await redis.del(keys.control);
    await log.announce(anEntry());
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    await expectNextEntry(tail);
  });

  test.each([
    ['that has read an entry', openTailAfterEntry],
    ['opened on an empty log', () => openTailAtEnd(log)],
  ])('sets mayHaveMissed when the log has dropped entries that a tail %s had not read', async (_, openTail) => {
    log = new RedisControlLog(redis, keys, () => redis.duplicate(), 5);
    const tail = await openTail();
    const entries = buildNumberedEntries(7);
    for (const entry of entries) await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: entries.slice(2), mayHaveMissed: true });
    await expectNextEntry(tail);
    await log.close();
  });

  test.each([
    ['of a newer version', ['j', '{"version":2,"kind":"subscription","id":"s","change":"revoked"}']],
    ['of an unknown kind', ['j', '{"version":1,"kind":"robot","id":"r","change":"revoked"}']],
    ['that is not JSON', ['j', 'revoked']],
  ])('skips an entry %s and sets mayHaveMissed', async (_, fields) => {
    const tail = await openTailAfterEntry();
    await redis.xadd(keys.control, '*', ...fields);
    await expectNextEntry(tail, true);
    await expectNextEntry(tail);
  });

  test('rejects next and announce while Redis is unreachable, and sets mayHaveMissed afterwards', async () => {
    const tail = await openTailAfterEntry();
    const waiting = tail.next();
    proxy.cut();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await expect(tail.next()).rejects.toMatchObject({ code: 'unavailable' });
    const elapsedMs = startStopwatch();
    await expect(log.announce(anEntry())).rejects.toMatchObject({ code: 'unavailable' });
    expect(elapsedMs()).toBeLessThanOrEqual(2_000);
    proxy.mend();
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    await new Promise((resolve) => (proxied.status === 'ready' ? resolve(null) : proxied.once('ready', resolve)));
    await expectNextEntry(tail);
  });

  test.each([
    ['that has read an entry', openTailAfterEntry],
    ['opened on an empty log', () => openTailAtEnd(log)],
  ])('returns the entries announced while Redis was unreachable to a tail %s', async (_, openTail) => {
    const tail = await openTail();
    proxy.cut();
    await expect(tail.next()).rejects.toMatchObject({ code: 'unavailable' });
    const direct = new RedisControlLog(redis, keys, () => redis.duplicate());
    const [first, second, third] = buildNumberedEntries(3) as [ControlEntry, ControlEntry, ControlEntry];
    await direct.announce(first);
    await direct.announce(second);
    proxy.mend();
    expect(await tail.next()).toEqual({ entries: [first, second], mayHaveMissed: true });
    await direct.announce(third);
    expect(await tail.next()).toEqual({ entries: [third], mayHaveMissed: false });
  });

  test('rejects announce within 2 s and next within 5 s when Redis does not answer', async () => {
    const tail = await openTailAfterEntry();
    proxy.freeze();
    const elapsedMs = startStopwatch();
    const waiting = tail.next().catch((error: { code: string }) => ({ error, ms: elapsedMs() }));
    const rejected = anEntry();
    await expect(log.announce(rejected)).rejects.toMatchObject({ code: 'unavailable' });
    expect(elapsedMs()).toBeLessThanOrEqual(2_000);
    const outcome = await waiting;
    expect(outcome).toMatchObject({ error: { code: 'unavailable' } });
    expect('ms' in outcome && outcome.ms).toBeLessThanOrEqual(5_000);
    proxy.mend();
    const { entries, mayHaveMissed } = await tail.next();
    expect(mayHaveMissed).toBe(true);
    // Redis may have stored the rejected entry all the same, before this read or after it.
    expect([[], [rejected]]).toContainEqual(entries);
  });
});
