import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import { type AttemptSource, makeTakeSignInPermit } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { describe, expect, test } from 'vitest';

const source: AttemptSource = { address: '10.0.0.7', isShared: false };
const shared: AttemptSource = { ...source, isShared: true };

/** Sends failing attempts, all at one moment, and returns how many are let through. */
async function countFailures(attempts: number, choose: (attempt: number) => { email: string; source: AttemptSource }) {
  const limiter = new MemoryRateLimiter({ monotonicMs: () => 1_000 });
  const takePermit = makeTakeSignInPermit({ limiter, failuresPerMinute: 5 });
  let letThrough = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { email, source: from } = choose(attempt);
    if ((await takePermit(email, from, null)).status === 'granted') letThrough += 1;
  }
  return letThrough;
}

describe('makeTakeSignInPermit', () => {
  test('grants an address 30 failures, and a shared address 300, over any accounts', async () => {
    expect(await countFailures(1_000, (n) => ({ email: `${n}@example.com`, source }))).toBe(30);
    expect(await countFailures(1_000, (n) => ({ email: `${n}@example.com`, source: shared }))).toBe(300);
  });

  test('grants a peer that toggles forwarding headers no more than 5 failures of an account, and 300 in all', async () => {
    const toggle = (n: number) => (n % 2 === 0 ? source : shared);
    expect(await countFailures(1_000, (n) => ({ email: 'kim@example.com', source: toggle(n) }))).toBe(5);
    expect(await countFailures(1_000, (n) => ({ email: `${n}@example.com`, source: toggle(n) }))).toBeLessThan(300);
  });

  test('grants a known browser 100 failures, and 100 more in an hour', async () => {
    let nowMs = 1_000;
    const takePermit = makeTakeSignInPermit({
      limiter: new MemoryRateLimiter({ monotonicMs: () => nowMs }),
      failuresPerMinute: 5,
    });
    let granted = 0;
    for (let attempt = 0; attempt < 300; attempt += 1, nowMs += 12_000) {
      if ((await takePermit('kim@example.com', source, 'a browser')).status === 'granted') granted += 1;
    }
    expect(granted).toBeGreaterThan(190);
    expect(granted).toBeLessThanOrEqual(201);
  });
});
