import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { limitWithFallback } from './fallback-rate-limiter.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

const limit = { ratePerSecond: 0.001, burst: 2 };
const onePermit = { key: 'k', limit, atLeast: 1, atMost: 1 };
/** Takes nothing: reads how many permits remain. */
const noPermit = { ...onePermit, atLeast: 0, atMost: 0 };

/** Builds a limiter whose shared limiter can fail or hang. `healthyShared` reads it as another pod would. */
function setUp() {
  const clock = { nowMs: 10, monotonicMs: () => clock.nowMs };
  const healthyShared = new MemoryRateLimiter(clock);
  const state = { failure: null as 'fails' | 'hangs' | Error | null, sharedCalls: 0, fallbacks: 0 };
  const callShared = <T>(work: () => Promise<T>): Promise<T> => {
    state.sharedCalls += 1;
    if (state.failure === 'hangs') return new Promise(() => undefined);
    if (state.failure === 'fails') return Promise.reject(new UnavailableError('unreachable'));
    return state.failure === null ? work() : Promise.reject(state.failure);
  };
  const shared: RateLimiter = {
    take: (request) => callShared(() => healthyShared.take(request)),
    giveBack: (key, lim, count) => callShared(() => healthyShared.giveBack(key, lim, count)),
  };
  const limiter = limitWithFallback({
    shared,
    local: new MemoryRateLimiter(clock),
    clock,
    onFallback: () => {
      state.fallbacks += 1;
    },
  });
  return { clock, state, limiter, healthyShared };
}

describe('limitWithFallback', () => {
  test('uses the shared limiter while it answers', async () => {
    const { limiter, healthyShared, state } = setUp();
    expect(await limiter.take(onePermit)).toMatchObject({ granted: 1, remaining: 1 });
    expect(await healthyShared.take(noPermit)).toMatchObject({ remaining: 1 });
    await limiter.giveBack('k', limit, 1);
    expect(await healthyShared.take(noPermit)).toMatchObject({ remaining: 2 });
    expect(state.fallbacks).toBe(0);
  });

  test.each(['fails', 'hangs'] as const)(
    'uses the local limiter, and stops calling the shared limiter, if that one %s',
    async (failure) => {
      const { limiter, state } = setUp();
      state.failure = failure;
      const outcomes = [await limiter.take(onePermit), await limiter.take(onePermit), await limiter.take(onePermit)];
      expect(outcomes.map(({ granted }) => granted)).toEqual([1, 1, 0]);
      expect(state).toMatchObject({ sharedCalls: 1, fallbacks: 3 });
      await limiter.giveBack('k', limit, 1);
      expect((await limiter.take(onePermit)).granted).toBe(1);
    },
  );

  test('probes the shared limiter after two seconds, without delaying a caller', async () => {
    const { limiter, state, clock } = setUp();
    state.failure = 'hangs';
    await limiter.take(onePermit);
    clock.nowMs += 1_999;
    await limiter.take(onePermit);
    expect(state.sharedCalls).toBe(1);
    clock.nowMs += 1;
    const takes = Promise.all([limiter.take(onePermit), limiter.take(onePermit)]).then(() => 'decided');
    const nextTurn = new Promise((resolve) => setImmediate(resolve, 'delayed'));
    expect(await Promise.race([takes, nextTurn])).toBe('decided');
    expect(state).toMatchObject({ sharedCalls: 2, fallbacks: 4 });
  });

  test('uses the shared limiter again once it answers a probe', async () => {
    const { limiter, state, clock, healthyShared } = setUp();
    state.failure = 'fails';
    await limiter.take(onePermit);
    state.failure = null;
    clock.nowMs += 2_000;
    await limiter.take(onePermit);
    expect(state).toMatchObject({ sharedCalls: 2, fallbacks: 2 });
    expect((await limiter.take(onePermit)).granted).toBe(1);
    expect(state).toMatchObject({ sharedCalls: 3, fallbacks: 2 });
    expect(await healthyShared.take(noPermit)).toMatchObject({ remaining: 1 });
  });

  test('accepts an answer that arrived in time while this process was busy', async () => {
    const clock = { monotonicMs: () => 10 };
    const [socket, server] = await connectPair();
    server.end('answer');
    const shared: RateLimiter = {
      take: () =>
        new Promise((resolve) => {
          socket.once('data', () => resolve({ granted: 1, remaining: 7, retryAfterMs: 0, resetAfterMs: 1 }));
          // Blocks the event loop for longer than the timeout, while the answer waits in the socket.
          setImmediate(() => {
            const untilMs = performance.now() + 60;
            while (performance.now() < untilMs);
          });
        }),
      giveBack: () => Promise.reject(new UnavailableError('not used')),
    };
    let fallbacks = 0;
    const limiter = limitWithFallback({
      shared,
      local: new MemoryRateLimiter(clock),
      clock,
      onFallback: () => {
        fallbacks += 1;
      },
      timeoutMs: 20,
    });
    expect(await limiter.take(onePermit)).toMatchObject({ remaining: 7 });
    expect(fallbacks).toBe(0);
    socket.destroy();
  });

  test('rejects with an error of the shared limiter that is no UnavailableError', async () => {
    const { limiter, state } = setUp();
    state.failure = new TypeError('a bug');
    await expect(limiter.take(onePermit)).rejects.toThrow('a bug');
  });
});

/** Returns both ends of a loopback connection. */
async function connectPair(): Promise<[Socket, Socket]> {
  const listener = createServer();
  const accepted = new Promise<Socket>((resolve) => listener.once('connection', resolve));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  const server = await accepted;
  listener.close();
  return [socket, server];
}
