import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RateLimit, returnPermits, takePermits } from './gcra.ts';

const fivePerMinute: RateLimit = { ratePerSecond: 5 / 60, burst: 5 };
const onePermit = { atLeast: 1, atMost: 1 };

describe('takePermits', () => {
  test('grants the whole burst at once, then one per interval', () => {
    let fullAtMs = 0;
    for (let taken = 1; taken <= 5; taken += 1) {
      const result = takePermits(fullAtMs, 1_000, fivePerMinute, onePermit);
      expect(result.outcome).toEqual({
        granted: 1,
        remaining: 5 - taken,
        retryAfterMs: 0,
        resetAfterMs: taken * 12_000,
      });
      fullAtMs = result.fullAtMs;
    }
    const refused = takePermits(fullAtMs, 1_000, fivePerMinute, onePermit);
    expect(refused.outcome).toEqual({ granted: 0, remaining: 0, retryAfterMs: 12_000, resetAfterMs: 60_000 });
    expect(takePermits(fullAtMs, 12_900, fivePerMinute, onePermit).outcome).toMatchObject({
      granted: 0,
      retryAfterMs: 100,
    });
    expect(takePermits(fullAtMs, 13_000, fivePerMinute, onePermit).outcome).toMatchObject({ granted: 1, remaining: 0 });
  });

  test('grants the available permits up to atMost, and none if fewer than atLeast are available', () => {
    const limit = { ratePerSecond: 1, burst: 10 };
    const first = takePermits(0, 0, limit, { atLeast: 1, atMost: 7 });
    expect(first.outcome).toMatchObject({ granted: 7, remaining: 3 });
    const refused = takePermits(first.fullAtMs, 0, limit, { atLeast: 5, atMost: 7 });
    expect(refused.outcome).toEqual({ granted: 0, remaining: 3, retryAfterMs: 2_000, resetAfterMs: 7_000 });
    const rest = takePermits(first.fullAtMs, 0, limit, { atLeast: 1, atMost: 7 });
    expect(rest.outcome).toMatchObject({ granted: 3, remaining: 0 });
  });

  test('only reads the state when it asks for no permits', () => {
    const result = takePermits(5_000, 0, { ratePerSecond: 1, burst: 10 }, { atLeast: 0, atMost: 0 });
    expect(result).toEqual({
      outcome: { granted: 0, remaining: 5, retryAfterMs: 0, resetAfterMs: 5_000 },
      fullAtMs: 5_000,
    });
  });

  test('blocks for at most the time of one burst, whatever the state is', () => {
    const { outcome } = takePermits(1e12, 0, { ratePerSecond: 10, burst: 20 }, onePermit);
    expect(outcome).toEqual({ granted: 0, remaining: 0, retryAfterMs: 100, resetAfterMs: 2_000 });
  });
});

const limits = fc.record({
  ratePerSecond: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0.001, max: 100, noNaN: true })),
  burst: fc.integer({ min: 1, max: 10_000 }),
});
const requests = fc.array(
  fc.record({
    afterMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
    atLeast: fc.integer({ min: 0, max: 3 }),
    more: fc.integer({ min: 0, max: 50 }),
  }),
  { maxLength: 60 },
);

describe('takePermits for any limit and state', () => {
  test('never grants more than the burst plus the rate in any interval', () => {
    fc.assert(
      fc.property(limits, requests, (limit, sequence) => {
        let [fullAtMs, nowMs] = [0, 1_000];
        const grants: { atMs: number; granted: number }[] = [];
        for (const { afterMs, atLeast, more } of sequence) {
          nowMs += afterMs;
          const wanted = { atLeast: Math.min(atLeast, limit.burst), atMost: atLeast + more };
          const result = takePermits(fullAtMs, nowMs, limit, wanted);
          fullAtMs = result.fullAtMs;
          grants.push({ atMs: nowMs, granted: result.outcome.granted });
        }
        for (let from = 0; from < grants.length; from += 1) {
          let sum = 0;
          for (const { atMs, granted } of grants.slice(from)) {
            sum += granted;
            const sinceMs = atMs - (grants[from]?.atMs ?? 0);
            expect(sum).toBeLessThanOrEqual(limit.burst + (sinceMs * limit.ratePerSecond) / 1_000 + 0.01);
          }
        }
      }),
    );
  });

  test('grants a refused request after retryAfterMs, but not the time of one permit earlier', () => {
    fc.assert(
      fc.property(limits, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(20), (limit, used, wantedMore) => {
        const nowMs = 1_000;
        const fullAtMs = nowMs + (used * limit.burst * 1_000) / limit.ratePerSecond;
        const atLeast = Math.min(limit.burst, 1 + wantedMore);
        const wanted = { atLeast, atMost: atLeast };
        const { outcome } = takePermits(fullAtMs, nowMs, limit, wanted);
        if (outcome.granted > 0) return;
        expect(outcome.retryAfterMs).toBeGreaterThan(0);
        expect(takePermits(fullAtMs, nowMs + outcome.retryAfterMs, limit, wanted).outcome.granted).toBe(atLeast);
        const earlierMs = outcome.retryAfterMs - 1 - 1_000 / limit.ratePerSecond;
        if (earlierMs <= 0) return;
        expect(takePermits(fullAtMs, nowMs + earlierMs, limit, wanted).outcome.granted).toBe(0);
      }),
    );
  });

  test('makes the whole burst available after resetAfterMs', () => {
    fc.assert(
      fc.property(limits, fc.nat(20_000), (limit, taken) => {
        const first = takePermits(0, 1_000, limit, { atLeast: 0, atMost: taken });
        const laterMs = 1_000 + first.outcome.resetAfterMs;
        const all = takePermits(first.fullAtMs, laterMs, limit, { atLeast: 0, atMost: limit.burst });
        expect(all.outcome.granted).toBe(limit.burst);
      }),
      // The wait is 1.0002 ms, and the rounding tolerance of a wait is almost 0.0002 ms.
      { examples: [[{ ratePerSecond: 4_999, burst: 5 }, 5]] },
    );
  });

  test('makes exactly the whole burst available after all permits, or more, are returned', () => {
    fc.assert(
      fc.property(limits, fc.nat(200), fc.nat(200), (limit, taken, surplus) => {
        const first = takePermits(0, 1_000, limit, { atLeast: 0, atMost: taken });
        const fullAtMs = returnPermits(first.fullAtMs, 1_000, limit, first.outcome.granted + surplus);
        const second = takePermits(fullAtMs, 1_000, limit, { atLeast: 0, atMost: limit.burst + 10 });
        expect(second.outcome).toMatchObject({ granted: limit.burst, remaining: 0 });
      }),
    );
  });
});
