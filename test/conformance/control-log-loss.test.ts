import { randomBytes } from 'node:crypto';
import { openBlockingReadConnection, openFailFastConnection } from '@widget-service/cluster/redis/connections.ts';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisControlLog } from '@widget-service/cluster/redis/redis-control-log.ts';
import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { beginTail, numberedEntries } from '../drivers/control-log-driver.ts';
import { startStopwatch } from '../drivers/stopwatch.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** Only Redis can lose what was announced: what is announced inside one process is lost with all who remember. */
describe.runIf(inject('backend') === 'cluster')('ControlLog: losses of Redis', () => {
  let redis: Redis;
  let proxy: TcpProxy;
  let proxied: Redis;
  let keys: ReturnType<typeof redisKeys>;
  let log: RedisControlLog;
  beforeAll(async () => {
    const url = new URL(process.env.REDIS_URL ?? '');
    redis = new Redis(url.href);
    proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
  });
  beforeEach(async () => {
    keys = redisKeys(`t-${randomBytes(8).toString('hex')}`);
    proxied?.disconnect();
    const target = { url: `redis://127.0.0.1:${proxy.port}/`, onWarning: () => undefined };
    proxied = openFailFastConnection(target, 'test');
    await proxied.ping().catch(() => new Promise((resolve) => proxied.once('ready', resolve)));
    const connectTail = () => openBlockingReadConnection(target, 'test');
    log = new RedisControlLog({ redis: proxied, keys, connectTail });
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

  const one = () => numberedEntries(1)[0] as ControlEntry;
  /** A tail that has read at least one entry. */
  async function beginTailAfterOne() {
    const tail = await beginTail(log);
    const entry = one();
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: false });
    return tail;
  }

  /** An entry's id is its time: in a log wiped within the same millisecond the next one would have that of the last. */
  async function untilRedisIsLater(): Promise<void> {
    const nowMs = async () => {
      const [seconds, microseconds] = await redis.time();
      return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    };
    const startMs = await nowMs();
    while ((await nowMs()) <= startMs);
  }

  it('a log that is wiped while nothing is announced is noticed within about half a second', async () => {
    const tail = await beginTailAfterOne();
    await redis.del(keys.control);
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: false });
  });

  it('a log that was wiped and written anew is noticed, and read on', async () => {
    const tail = await beginTailAfterOne();
    await redis.del(keys.control);
    await untilRedisIsLater();
    const [entry, next] = numberedEntries(2) as [ControlEntry, ControlEntry];
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: true });
    await log.announce(next);
    expect(await tail.next()).toEqual({ entries: [next], mayHaveMissed: false });
  });

  it('so is one that begins anew behind where the tail stands, as when the clock was set back', async () => {
    const tail = await beginTail(log);
    const inAnHour = `${Date.now() + 3_600_000}-0`;
    await redis.xadd(keys.control, inAnHour, 'j', '{"version":1,"kind":"user","id":"u","change":"changed"}');
    expect((await tail.next()).entries).toHaveLength(1);
    await redis.del(keys.control);
    await log.announce(one());
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    const entry = one();
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: false });
  });

  it.each([
    ['from an entry on', beginTailAfterOne],
    ['from an empty log on', () => beginTail(log)],
  ])('a log that has dropped what a tail had not read is noticed, %s', async (_, begin) => {
    log = new RedisControlLog({ redis, keys, connectTail: () => redis.duplicate(), maxLength: 5 });
    const tail = await begin();
    const entries = numberedEntries(7);
    for (const entry of entries) await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: entries.slice(2), mayHaveMissed: true });
    const entry = one();
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: false });
    await log.close();
  });

  it.each([
    ['of a newer version', ['j', '{"version":2,"kind":"subscription","id":"s","change":"revoked"}']],
    ['of an unknown kind', ['j', '{"version":1,"kind":"robot","id":"r","change":"revoked"}']],
    ['that is no JSON', ['j', 'revoked']],
  ])('an entry %s is skipped, and counts as missed', async (_, fields) => {
    const tail = await beginTailAfterOne();
    await redis.xadd(keys.control, '*', ...fields);
    const entry = one();
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: true });
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: false });
  });

  it('a Redis that goes away ends the wait, refuses announcements, and is looked at anew when it is back', async () => {
    const tail = await beginTailAfterOne();
    const waiting = tail.next();
    proxy.cut();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await expect(tail.next()).rejects.toMatchObject({ code: 'unavailable' });
    const elapsedMs = startStopwatch();
    await expect(log.announce(one())).rejects.toMatchObject({ code: 'unavailable' });
    expect(elapsedMs()).toBeLessThanOrEqual(2_000);
    proxy.mend();
    expect(await tail.next()).toEqual({ entries: [], mayHaveMissed: true });
    await new Promise((resolve) => (proxied.status === 'ready' ? resolve(null) : proxied.once('ready', resolve)));
    const entry = one();
    await log.announce(entry);
    expect(await tail.next()).toEqual({ entries: [entry], mayHaveMissed: false });
  });

  it.each([
    ['has read', beginTailAfterOne],
    ['begins with, in an empty log', () => beginTail(log)],
  ])('what was announced to others while it was away for a tail is told after what the tail %s', async (_, begin) => {
    const tail = await begin();
    proxy.cut();
    await expect(tail.next()).rejects.toMatchObject({ code: 'unavailable' });
    const direct = new RedisControlLog({ redis, keys, connectTail: () => redis.duplicate() });
    const [first, second, third] = numberedEntries(3) as [ControlEntry, ControlEntry, ControlEntry];
    await direct.announce(first);
    await direct.announce(second);
    proxy.mend();
    expect(await tail.next()).toEqual({ entries: [first, second], mayHaveMissed: true });
    await direct.announce(third);
    expect(await tail.next()).toEqual({ entries: [third], mayHaveMissed: false });
  });

  it('a Redis that answers no more is given up within 2 s by who announces, within 5 s by who reads', async () => {
    const tail = await beginTailAfterOne();
    proxy.freeze();
    const elapsedMs = startStopwatch();
    const waiting = tail.next().catch((error: { code: string }) => ({ error, ms: elapsedMs() }));
    const givenUp = one();
    await expect(log.announce(givenUp)).rejects.toMatchObject({ code: 'unavailable' });
    expect(elapsedMs()).toBeLessThanOrEqual(2_000);
    const given = await waiting;
    expect(given).toMatchObject({ error: { code: 'unavailable' } });
    expect('ms' in given && given.ms).toBeLessThanOrEqual(5_000);
    proxy.mend();
    const { entries, mayHaveMissed } = await tail.next();
    expect(mayHaveMissed).toBe(true);
    // What was given up may arrive all the same, before this or after it.
    expect([[], [givenUp]]).toContainEqual(entries);
  });
});
