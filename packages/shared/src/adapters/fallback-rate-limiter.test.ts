import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { limitWithFallback } from './fallback-rate-limiter.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

const limit = { ratePerSecond: 0.001, burst: 2 };
const one = { key: 'k', limit, atLeast: 1, atMost: 1 };

/** A shared limiter that can be taken away: it then fails, or never answers. */
function setUp() {
  const clock = { nowMs: 10, monotonicMs: () => clock.nowMs };
  const real = new MemoryRateLimiter(clock);
  const state = { failure: null as 'refuses' | 'hangs' | Error | null, asked: 0, decidedByTwin: 0 };
  const answer = <T>(work: () => Promise<T>): Promise<T> => {
    state.asked += 1;
    if (state.failure === 'hangs') return new Promise(() => undefined);
    if (state.failure === 'refuses') return Promise.reject(new UnavailableError('away'));
    return state.failure === null ? work() : Promise.reject(state.failure);
  };
  const shared: RateLimiter = {
    take: (request) => answer(() => real.take(request)),
    giveBack: (key, lim, count) => answer(() => real.giveBack(key, lim, count)),
  };
  const limiter = limitWithFallback({
    shared,
    local: new MemoryRateLimiter(clock),
    clock,
    onFallback: () => {
      state.decidedByTwin += 1;
    },
  });
  return { clock, state, limiter, real };
}

describe('limitWithFallback', () => {
  it('asks the shared limiter while it answers', async () => {
    const { limiter, real, state } = setUp();
    expect(await limiter.take(one)).toMatchObject({ granted: 1, remaining: 1 });
    expect(await real.take({ ...one, atLeast: 0, atMost: 0 })).toMatchObject({ remaining: 1 });
    await limiter.giveBack('k', limit, 1);
    expect(await real.take({ ...one, atLeast: 0, atMost: 0 })).toMatchObject({ remaining: 2 });
    expect(state.decidedByTwin).toBe(0);
  });

  it.each(['refuses', 'hangs'] as const)('limits by the twin when the shared limiter %s', async (failure) => {
    const { limiter, state } = setUp();
    state.failure = failure;
    const granted = [await limiter.take(one), await limiter.take(one), await limiter.take(one)];
    expect(granted.map((outcome) => outcome.granted)).toEqual([1, 1, 0]);
    expect(state).toMatchObject({ asked: 1, decidedByTwin: 3 });
    await limiter.giveBack('k', limit, 1);
    expect((await limiter.take(one)).granted).toBe(1);
  });

  it('leaves the shared limiter alone for two seconds, then asks without letting anyone wait', async () => {
    const { limiter, state, clock } = setUp();
    state.failure = 'hangs';
    await limiter.take(one);
    clock.nowMs += 1_999;
    await limiter.take(one);
    expect(state.asked).toBe(1);
    clock.nowMs += 1;
    await Promise.all([limiter.take(one), limiter.take(one)]);
    expect(state).toMatchObject({ asked: 2, decidedByTwin: 4 });
  });

  it('goes back to the shared limiter once it answers', async () => {
    const { limiter, state, clock, real } = setUp();
    state.failure = 'refuses';
    await limiter.take(one);
    state.failure = null;
    clock.nowMs += 2_000;
    await limiter.take(one);
    expect(state).toMatchObject({ asked: 2, decidedByTwin: 2 });
    expect((await limiter.take(one)).granted).toBe(1);
    expect(state).toMatchObject({ asked: 3, decidedByTwin: 2 });
    expect(await real.take({ ...one, atLeast: 0, atMost: 0 })).toMatchObject({ remaining: 1 });
  });

  it('takes an answer that came while this process was busy for one in time', async () => {
    const clock = { monotonicMs: () => 10 };
    const [socket, server] = await connectedPair();
    server.end('an answer');
    const slow: RateLimiter = {
      take: () =>
        new Promise((resolve) => {
          socket.once('data', () => resolve({ granted: 1, remaining: 7, retryAfterMs: 0, resetAfterMs: 1 }));
          setImmediate(() => {
            const untilMs = performance.now() + 60;
            while (performance.now() < untilMs);
          });
        }),
      giveBack: () => Promise.reject(new UnavailableError('not asked')),
    };
    let fallbacks = 0;
    const limiter = limitWithFallback({
      shared: slow,
      local: new MemoryRateLimiter(clock),
      clock,
      onFallback: () => {
        fallbacks += 1;
      },
      timeoutMs: 20,
    });
    expect(await limiter.take(one)).toMatchObject({ remaining: 7 });
    expect(fallbacks).toBe(0);
    socket.destroy();
  });

  it('hides no mistake of the program', async () => {
    const { limiter, state } = setUp();
    state.failure = new TypeError('a bug');
    await expect(limiter.take(one)).rejects.toThrow('a bug');
  });
});

/** Both ends of a connection on this machine. */
async function connectedPair(): Promise<[Socket, Socket]> {
  const listener = createServer();
  const accepted = new Promise<Socket>((resolve) => listener.once('connection', resolve));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  const server = await accepted;
  listener.close();
  return [socket, server];
}
