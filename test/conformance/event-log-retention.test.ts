import { randomBytes } from 'node:crypto';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisEventLog } from '@widget-service/cluster/redis/redis-event-log.ts';
import { isContiguous } from '@widget-service/shared/domain/log-position.ts';
import type { LogAppend } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { Redis, ReplyError } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { anEventAppend } from '../drivers/app/builders.ts';
import { buildEventAppends } from '../drivers/app/log-drivers.ts';
import { logCanLoseEvents, openTestBackend } from '../drivers/app/open-test-backend.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';

// The embedded log is in the same file as the run registry. It cannot lose events that the registry has, so it trims
// without regard to the last recorded position.
const itIfLogCanLoseEvents = test.skipIf(!logCanLoseEvents);

// Each test opens its own backend, because the retention is an option of the backend.
describe('EventLog.trim', () => {
  /** Appends the batches to the log of a new backend, and trims it. */
  async function appendAndTrim(options: Parameters<typeof openTestBackend>[0], batches: readonly LogAppend[][]) {
    const testBackend = await openTestBackend(options);
    const run = (await testBackend.backend.runs.startRun()).run;
    let recorded: ComparablePosition | null = null;
    for (const events of batches) recorded = (await testBackend.backend.eventLog.append(run, recorded, events)).last;
    await testBackend.backend.eventLog.trim(recorded);
    const kept = (await testBackend.backend.eventLog.inspect(null))?.extent;
    if (kept === undefined) throw new Error('The log is empty after an append.');
    return { testBackend, eventLog: testBackend.backend.eventLog, run, kept };
  }

  test('keeps the newest events when the count exceeds the retention', async () => {
    const batches = Array.from({ length: 5 }, () => buildEventAppends(60));
    const { testBackend, eventLog, run, kept } = await appendAndTrim({ retentionCount: 100 }, batches);
    expect(kept.last.seq - kept.oldest.seq).toBe(100);
    const records = await eventLog.readAfter(kept.oldest, 500);
    expect(records.map(({ event }) => event)).toEqual(
      batches
        .flat()
        .slice(-100)
        .map(({ event }) => event),
    );
    // A trimmed position is not a lost tail.
    const expected = { ...kept.oldest, epochRun: run, seq: kept.oldest.seq - 50 };
    expect(await eventLog.append(run, expected, buildEventAppends(1))).toMatchObject({ startedNewEpoch: false });
    await testBackend.dispose();
  });

  test('keeps the exact position before the oldest event, although it dropped the event there', async () => {
    const testBackend = await openTestBackend({ retentionCount: 100 });
    const { eventLog, runs } = testBackend.backend;
    const { run } = await runs.startRun();
    const before = await eventLog.append(run, null, buildEventAppends(40));
    const { positions, last } = await eventLog.append(run, null, buildEventAppends(100));
    await eventLog.trim(last);
    const oldest = (await eventLog.inspect(null))?.extent.oldest;
    expect(oldest).toEqual(before.positions.at(-1));
    const records = await eventLog.readAfter(oldest ?? before.last, 500);
    expect(records).toHaveLength(100);
    expect(isContiguous(oldest ?? before.last, records)).toBe(true);
    expect(records.at(-1)).toMatchObject(positions.at(-1) ?? {});
    await testBackend.dispose();
  });

  itIfLogCanLoseEvents(
    'still detects a loss at the position before the oldest event, and at the last event',
    async () => {
      const testBackend = await openTestBackend({ retentionCount: 100 });
      const { eventLog, runs } = testBackend.backend;
      const { run } = await runs.startRun();
      const { last: begin } = await eventLog.append(run, null, buildEventAppends(150));
      await eventLog.trim(begin);
      const positionBeforeOldest = async (): Promise<ComparablePosition> => ({
        ...begin,
        ...((await eventLog.inspect(null))?.extent.oldest ?? begin),
      });
      expect(await eventLog.append(run, await positionBeforeOldest(), [])).toMatchObject({ startedNewEpoch: false });
      const { last } = await eventLog.append(run, null, buildEventAppends(1));
      expect(await eventLog.append(run, last, [])).toMatchObject({ startedNewEpoch: false });
      const { ms, ...rest } = await positionBeforeOldest();
      const { run: second } = await runs.startRun();
      const result = await eventLog.append(second, { ...rest, ms: ms - 1 }, buildEventAppends(2));
      expect(result.startedNewEpoch).toBe(true);
      const lost = { ...result.last, ms: result.last.ms - 1 };
      const { run: third } = await runs.startRun();
      expect(await eventLog.append(third, lost, [])).toMatchObject({ startedNewEpoch: true });
      await testBackend.dispose();
    },
  );

  test('drops every event older than the retention, and the log continues with the next number', async () => {
    const { testBackend, eventLog, run, kept } = await appendAndTrim({ retentionMs: 30 }, [buildEventAppends(10)]);
    await expect
      .poll(
        async () => {
          await eventLog.trim({ ...kept.last, epochRun: run });
          return (await eventLog.inspect(null))?.extent.oldest;
        },
        { timeout: 5000 },
      )
      .toEqual(kept.last);
    expect(await eventLog.readAfter(kept.oldest, 10)).toEqual([]);
    expect(await eventLog.inspect(kept.last)).toMatchObject({ contains: false, extent: { last: kept.last } });
    const result = await eventLog.append(run, { ...kept.last, epochRun: run }, buildEventAppends(1));
    expect(result).toMatchObject({ startedNewEpoch: false, last: { epoch: kept.last.epoch, seq: kept.last.seq + 1 } });
    await testBackend.dispose();
  });

  test('keeps about as many events as the retained bytes hold', async () => {
    const json = JSON.stringify({ filling: 'x'.repeat(1000) });
    const batches = Array.from({ length: 5 }, () => Array.from({ length: 200 }, () => anEventAppend({ json })));
    const { testBackend, eventLog, kept } = await appendAndTrim({ retentionBytes: 200_000 }, batches);
    const count = kept.last.seq - kept.oldest.seq;
    expect(count).toBeLessThan(250);
    expect(count).toBeGreaterThan(50);
    const records = await eventLog.readAfter(kept.oldest, 500);
    expect(records.at(-1)?.event).toEqual(batches.flat().at(-1)?.event);
    await testBackend.dispose();
  });

  itIfLogCanLoseEvents.each([
    ['count', { retentionCount: 3 }],
    ['age', { retentionMs: 0 }],
    ['bytes', { retentionBytes: 1 }],
  ])('keeps every event after the last recorded position (retention by %s)', async (_, options) => {
    const testBackend = await openTestBackend(options);
    const { eventLog, runs } = testBackend.backend;
    const { run } = await runs.startRun();
    const oldestSeq = async () => (await eventLog.inspect(null))?.extent.oldest.seq;
    await eventLog.append(run, null, buildEventAppends(300));
    await eventLog.trim(null);
    expect(await oldestSeq()).toBe(0);
    const { last: recorded } = await eventLog.append(run, null, buildEventAppends(5));
    const { last: lost } = await eventLog.append(run, recorded, buildEventAppends(300));
    await eventLog.trim({ ...lost, ms: lost.ms - 1 });
    await eventLog.append(run, recorded, buildEventAppends(300));
    await eventLog.trim(recorded);
    expect(await oldestSeq()).toBeLessThanOrEqual(recorded.seq);
    // As if the log had lost that event and had given its number to another one.
    const { run: next } = await runs.startRun();
    const result = await eventLog.append(next, { ...lost, ms: lost.ms - 1 }, []);
    expect(result.startedNewEpoch).toBe(true);
    await testBackend.dispose();
  });

  test('does nothing on an empty log', async () => {
    const testBackend = await openTestBackend();
    await testBackend.backend.eventLog.trim(null);
    await testBackend.backend.eventLog.trim({ epoch: 'unknown', epochRun: 1, ms: 1, seq: 1 });
    expect(await testBackend.backend.eventLog.inspect(null)).toBeNull();
    await testBackend.dispose();
  });
});

const redisRetention = { count: 1_000_000, ageMs: 3_600_000, bytes: 800_000 };

/** Fakes the answer to INFO: setting `maxmemory` on the shared Redis would affect all other tests. */
describe.runIf(inject('backend') === 'cluster')('RedisEventLog.trim, with bounded memory', () => {
  let redis: Redis;
  let keys: ReturnType<typeof redisKeys>;
  beforeEach(async () => {
    redis = new Redis(findQueueRedis().operatorUrl, { protocol: 2 });
    // The connection sends INFO itself until it is ready.
    await redis.ping();
    keys = redisKeys(`t-${randomBytes(8).toString('hex')}`);
  });
  afterEach(async () => {
    await redis.del(keys.log, keys.logMeta);
    redis.disconnect();
  });

  /**
   * Appends 200 events of each size, about 1 MB in total, trims the log, and returns the bytes that Redis uses for it.
   * `info` replaces the INFO command.
   */
  async function measureTrimmedLog(
    info: () => Promise<string>,
    sizes = [1000, 1000, 1000, 1000, 1000],
    isAlone = false,
  ): Promise<number> {
    redis.info = info;
    const connectTail = () => redis;
    const log = new RedisEventLog({ redis, keys, retention: redisRetention, isAlone, connectTail });
    for (const size of sizes) {
      const json = JSON.stringify({ filling: 'x'.repeat(size) });
      await log.append(
        1,
        null,
        Array.from({ length: 200 }, () => anEventAppend({ json })),
      );
    }
    const [last] = await redis.xrevrange(keys.log, '+', '-', 'COUNT', 1);
    const [ms, seq] = (last?.[0] ?? '').split('-').map(Number);
    const epoch = (await redis.hget(keys.logMeta, 'epoch')) ?? '';
    await log.trim({ epoch, epochRun: 1, ms: ms ?? 0, seq: seq ?? 0 });
    return Number(await redis.memory('USAGE', keys.log, 'SAMPLES', 0));
  }

  test('keeps at most half of the memory limit, so that hooks have room', async () => {
    const bytes = await measureTrimmedLog(async () => '# Memory\r\nused_memory:1\r\nmaxmemory:400000\r\n');
    expect(bytes).toBeLessThan(260_000);
    expect(bytes).toBeGreaterThan(100_000);
  });

  test('keeps at most four fifths of the memory limit of a Redis without the hook queue', async () => {
    const info = async () => 'maxmemory:400000\r\n';
    const bytes = await measureTrimmedLog(info, undefined, true);
    expect(bytes).toBeLessThan(350_000);
    expect(bytes).toBeGreaterThan(260_000);
  });

  test.each([
    ['small events before large ones', [10, 10, 10, 3_000, 3_000]],
    ['large events before small ones', [3_000, 3_000, 10, 10, 10]],
  ])('measures events of different sizes: %s', async (_, sizes) => {
    const bytes = await measureTrimmedLog(async () => 'maxmemory:400000\r\n', sizes);
    expect(bytes).toBeLessThan(230_000);
    expect(bytes).toBeGreaterThan(60_000);
  });

  test.each([
    ['has more memory than the retained bytes', async () => 'maxmemory:4000000000\r\n'],
    ['has no memory limit', async () => 'maxmemory:0\r\n'],
    ['does not report its memory limit', async () => '# Memory\r\nused_memory:1\r\n'],
    ['rejects INFO', () => Promise.reject(new ReplyError("NOPERM User has no permissions to run the 'info' command"))],
  ])('keeps the retained bytes when Redis %s', async (_, info) => {
    const bytes = await measureTrimmedLog(info);
    expect(bytes).toBeLessThan(860_000);
    expect(bytes).toBeGreaterThan(500_000);
  });
});
