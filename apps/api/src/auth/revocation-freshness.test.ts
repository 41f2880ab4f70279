import { expect, it } from 'vitest';
import { RevocationFreshness } from './revocation-freshness.ts';

it('is current for two seconds from the time up to which all is known, and not before anything is', async () => {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const knowledge = new RevocationFreshness(clock);
  expect(knowledge.isFresh()).toBe(false);
  clock.nowMs = 10_500;
  knowledge.advanceTo(10_000);
  clock.nowMs = 12_000;
  expect(knowledge.isFresh()).toBe(true);
  clock.nowMs = 12_001;
  expect(knowledge.isFresh()).toBe(false);
});

it('does not fall back by what was asked earlier and is heard later', () => {
  const knowledge = new RevocationFreshness({ monotonicMs: () => 12_000 });
  knowledge.advanceTo(11_000);
  knowledge.advanceTo(9_000);
  expect(knowledge.isFresh()).toBe(true);
});

it('is waited for until it is current, and no longer', async () => {
  const knowledge = new RevocationFreshness({ monotonicMs: () => 10_000 });
  let isCurrent = false;
  const waiting = knowledge.waitUntilFresh().then(() => {
    isCurrent = true;
  });
  knowledge.advanceTo(7_000);
  await new Promise(setImmediate);
  expect(isCurrent).toBe(false);
  knowledge.advanceTo(9_000);
  await waiting;
  await knowledge.waitUntilFresh();
});
