import { describe, expect, test } from 'vitest';
import { RevocationFreshness } from './revocation-freshness.ts';

describe('RevocationFreshness', () => {
  test('is fresh for two seconds after the time of the last advance, and not before the first one', async () => {
    const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
    const freshness = new RevocationFreshness(clock);
    expect(freshness.isFresh()).toBe(false);
    clock.nowMs = 10_500;
    freshness.advanceTo(10_000);
    clock.nowMs = 12_000;
    expect(freshness.isFresh()).toBe(true);
    clock.nowMs = 12_001;
    expect(freshness.isFresh()).toBe(false);
  });

  test('does not move back when an earlier time arrives late', () => {
    const freshness = new RevocationFreshness({ monotonicMs: () => 12_000 });
    freshness.advanceTo(11_000);
    freshness.advanceTo(9_000);
    expect(freshness.isFresh()).toBe(true);
  });

  test('waitUntilFresh resolves once the pod is fresh, and not before', async () => {
    const freshness = new RevocationFreshness({ monotonicMs: () => 10_000 });
    let isResolved = false;
    const waiting = freshness.waitUntilFresh().then(() => {
      isResolved = true;
    });
    freshness.advanceTo(7_000);
    await new Promise(setImmediate);
    expect(isResolved).toBe(false);
    freshness.advanceTo(9_000);
    await waiting;
    await freshness.waitUntilFresh();
  });
});
