import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import { type AttemptSource, SignInLimits } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { describe, expect, test } from 'vitest';

const source: AttemptSource = { address: '10.0.0.7', isShared: false };
const shared: AttemptSource = { ...source, isShared: true };

/** Sends failing attempts, all at one moment, and returns how many are let through. */
async function countFailures(
  attempts: number,
  choose: (attempt: number) => { email: string | null; source: AttemptSource },
) {
  const limiter = new MemoryRateLimiter({ monotonicMs: () => 1_000 });
  const limits = new SignInLimits(limiter, 5, null);
  let letThrough = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { status } = await limits.run(choose(attempt), async () => ({ status: 'refused' }));
    if (status === 'refused') letThrough += 1;
  }
  return letThrough;
}

describe('SignInLimits', () => {
  test('grants an address 30 failures, and a shared address 300, over any accounts and the provider', async () => {
    const emailOf = (n: number) => (n % 2 === 0 ? null : `${n}@example.com`);
    expect(await countFailures(1_000, (n) => ({ email: emailOf(n), source }))).toBe(30);
    expect(await countFailures(1_000, (n) => ({ email: emailOf(n), source: shared }))).toBe(300);
  });

  test('grants a peer that toggles forwarding headers no more than 5 failures of an account, and 300 in all', async () => {
    const toggle = (n: number) => (n % 2 === 0 ? source : shared);
    expect(await countFailures(1_000, (n) => ({ email: 'kim@example.com', source: toggle(n) }))).toBe(5);
    expect(await countFailures(1_000, (n) => ({ email: `${n}@example.com`, source: toggle(n) }))).toBeLessThan(300);
  });
});
