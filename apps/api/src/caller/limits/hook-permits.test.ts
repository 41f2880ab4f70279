import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { RateLimiter, RateRequest } from '@widget-service/shared/ports/rate-limiter.ts';
import { describe, expect, test } from 'vitest';
import { countPermits, HookPermits } from './hook-permits.ts';

const limit = { ratePerSecond: 1_000, burst: 5_000 };
const sender = { id: 'sender', rate: null };

/** Hook permits over a real limiter, with a record of its calls. */
function setUp(defaultLimit: typeof limit | null = limit) {
  const clock = { nowMs: 100, monotonicMs: () => clock.nowMs };
  const memoryLimiter = new MemoryRateLimiter(clock);
  const calls: RateRequest[] = [];
  const limiter: Pick<RateLimiter, 'take'> = {
    take: (request) => {
      calls.push(request);
      return memoryLimiter.take(request);
    },
  };
  const aPod = () => new HookPermits({ limiter, limit: defaultLimit, clock });
  return { clock, calls, aPod, permits: aPod() };
}

const isGranted = async (permits: HookPermits, integration: Parameters<HookPermits['take']>[0] = sender, cost = 1) =>
  (await permits.take(integration, cost)).status === 'granted';

async function countGranted(permits: HookPermits, attempts: number): Promise<number> {
  let granted = 0;
  for (let index = 0; index < attempts; index += 1) if (await isGranted(permits)) granted += 1;
  return granted;
}

describe('HookPermits', () => {
  test('spends leased permits synchronously, with one call of the limiter for many hooks', async () => {
    const { permits, calls } = setUp();
    let immediate = 0;
    for (let index = 0; index < 1_000; index += 1) {
      const verdict = permits.take(sender, 1);
      if (!(verdict instanceof Promise)) immediate += 1;
      expect(await verdict).toEqual({ status: 'granted' });
    }
    expect(immediate).toBe(1_000 - calls.length);
    expect(calls.length).toBeLessThan(20);
    expect(calls[0]).toEqual({ key: 'hooks:sender', limit, atLeast: 1, atMost: 1 });
    expect(Math.max(...calls.map(({ atMost }) => atMost))).toBe(100);
  });

  test('grants the burst and the rate, and no permit more', async () => {
    const { permits, clock } = setUp();
    expect(await countGranted(permits, 6_000)).toBe(5_000);
    let granted = 0;
    for (let tick = 0; tick < 40; tick += 1) {
      clock.nowMs += 50;
      granted += await countGranted(permits, 200);
    }
    expect(granted).toBeGreaterThanOrEqual(1_990);
    expect(granted).toBeLessThanOrEqual(2_000);
  });

  test('serves waiting hooks in order of arrival, with shared calls of the limiter', async () => {
    const { permits, calls } = setUp({ ratePerSecond: 100, burst: 250 });
    const verdicts = await Promise.all(Array.from({ length: 300 }, () => permits.take(sender, 1)));
    expect(verdicts.map(({ status }) => status === 'granted')).toEqual(
      Array.from({ length: 300 }, (_, index) => index < 250),
    );
    expect(calls.length).toBeLessThanOrEqual(30);
  });

  test('rejects all hooks until retryAfterMs after a rejection, without calling the limiter', async () => {
    const { permits, calls, clock } = setUp({ ratePerSecond: 1, burst: 1 });
    expect(await isGranted(permits)).toBe(true);
    const rejection = await permits.take(sender, 1);
    expect(rejection).toEqual({
      status: 'refused',
      limit: { ratePerSecond: 1, burst: 1 },
      retryAfterMs: 1_000,
      resetAfterMs: 1_000,
    });
    const callsBefore = calls.length;
    clock.nowMs += 400;
    expect(permits.take(sender, 1)).toMatchObject({ retryAfterMs: 600, resetAfterMs: 600 });
    clock.nowMs += 599;
    expect(permits.take(sender, 1)).toMatchObject({ retryAfterMs: 1 });
    expect(calls).toHaveLength(callsBefore);
    clock.nowMs += 1;
    expect(await isGranted(permits)).toBe(true);
  });

  test('calls the limiter at most 60 times for 20 000 hooks in a second, once the limit is used up', async () => {
    const { permits, calls, clock } = setUp();
    await countGranted(permits, 5_001);
    calls.length = 0;
    for (let ms = 0; ms < 1_000; ms += 1) {
      clock.nowMs += 1;
      await countGranted(permits, 20);
    }
    expect(calls.length).toBeLessThanOrEqual(60);
  });

  test('wastes at most as many permits as are used, when 50 pods get few hooks each', async () => {
    const { clock, calls, aPod } = setUp();
    const pods = Array.from({ length: 50 }, aPod);
    let hooks = 0;
    for (let second = 0; second < 20; second += 1) {
      for (const pod of pods) {
        clock.nowMs += 20;
        for (let pair = 0; pair < 2; pair += 1) {
          expect(await isGranted(pod)).toBe(true);
          hooks += 1;
        }
      }
    }
    const leased = calls.reduce((sum, { atMost }) => sum + atMost, 0);
    expect(leased).toBeLessThanOrEqual(2 * hooks);
  });

  test('drops leased permits that were not used within a second', async () => {
    const { permits, calls, clock } = setUp();
    await countGranted(permits, 50);
    const callsBefore = calls.length;
    expect(permits.take(sender, 1)).toEqual({ status: 'granted' });
    clock.nowMs += 1_000;
    expect(await isGranted(permits)).toBe(true);
    expect(calls).toHaveLength(callsBefore + 1);
    expect(calls.at(-1)?.atMost).toBe(1);
  });

  test('uses an integration’s own rate, with a burst of five seconds of it', async () => {
    const { permits, calls } = setUp();
    const own = { id: 'own', rate: 2 };
    const granted = await Promise.all(Array.from({ length: 12 }, () => permits.take(own, 1)));
    expect(granted.filter(({ status }) => status === 'granted')).toHaveLength(10);
    expect(granted.at(-1)).toMatchObject({ limit: { ratePerSecond: 2, burst: 10 }, retryAfterMs: 500 });
    expect(calls.every(({ atMost }) => atMost === 1)).toBe(true);
    expect(await isGranted(permits)).toBe(true);
  });

  test('limits only integrations with a rate of their own if there is no general limit', async () => {
    const { permits, calls } = setUp(null);
    for (let index = 0; index < 10_000; index += 1) expect(permits.take(sender, 1)).toEqual({ status: 'granted' });
    expect(calls).toHaveLength(0);
    const own = await Promise.all(Array.from({ length: 9 }, () => permits.take({ id: 'own', rate: 1 }, 1)));
    expect(own.filter(({ status }) => status === 'granted')).toHaveLength(5);
  });

  test('rejects all waiting hooks when the limiter fails, and works again afterwards', async () => {
    let isBroken = true;
    const permits = new HookPermits({
      limiter: {
        take: async () => {
          if (isBroken) throw new Error('broken');
          return { granted: 1, remaining: 0, retryAfterMs: 0, resetAfterMs: 1 };
        },
      },
      limit,
      clock: { monotonicMs: () => 1 },
    });
    const waiting = [permits.take(sender, 1), permits.take(sender, 1)].map((verdict) => Promise.resolve(verdict));
    for (const verdict of waiting) await expect(verdict).rejects.toThrow('broken');
    isBroken = false;
    expect(await isGranted(permits)).toBe(true);
  });

  test('a hook costs a permit for each started 4 KiB of its body', () => {
    expect([0, 1, 4_096, 4_097, 65_536].map(countPermits)).toEqual([1, 1, 1, 2, 16]);
  });

  test('grants the burst of permits, whatever the sizes: what is left of a lease counts for the next hook', async () => {
    const { permits } = setUp({ ratePerSecond: 100, burst: 100 });
    let taken = 0;
    for (let index = 0; index < 100; index += 1) {
      const cost = index % 2 === 0 ? 7 : 13;
      if ((await permits.take(sender, cost)).status === 'refused') break;
      taken += cost;
    }
    expect(taken).toBe(100);
  });

  test('a hook that is refused for its size costs nothing: a smaller one is granted', async () => {
    const { permits, clock } = setUp({ ratePerSecond: 10, burst: 10 });
    expect(await isGranted(permits, sender, 8)).toBe(true);
    expect(await isGranted(permits, sender, 4)).toBe(false);
    clock.nowMs += 200;
    expect(await isGranted(permits, sender, 4)).toBe(true);
  });

  test('a hook whose size is known late is granted for the whole burst too, the permit that it has taken included', async () => {
    const { permits } = setUp();
    const own = { id: 'own', rate: 1 };
    expect(await isGranted(permits, own, 1)).toBe(true);
    expect((await permits.take(own, 15, 1)).status).toBe('granted');
    expect(await isGranted(permits, own, 1)).toBe(false);
  });

  test('a refused hook whose size is known late costs nothing once its first permit is given back', async () => {
    const { permits } = setUp({ ratePerSecond: 0.001, burst: 2 });
    expect(await isGranted(permits, sender, 1)).toBe(true);
    expect(await isGranted(permits, sender, 1)).toBe(true);
    expect((await permits.take(sender, 1, 1)).status).toBe('refused');
    permits.giveBack(sender.id, 1);
    expect(await isGranted(permits, sender, 1)).toBe(true);
  });

  test('a hook that costs more than the burst is granted for the whole burst', async () => {
    const { permits } = setUp();
    const own = { id: 'own', rate: 1 };
    expect(await isGranted(permits, own, 16)).toBe(true);
    expect(await isGranted(permits, own, 1)).toBe(false);
  });
});
