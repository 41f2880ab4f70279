import { expect, it } from 'vitest';
import { RightsKnowledge } from './rights-knowledge.ts';

it('is current for two seconds from the time up to which all is known, and not before anything is', async () => {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const knowledge = new RightsKnowledge(clock);
  expect(knowledge.isCurrent()).toBe(false);
  clock.nowMs = 10_500;
  knowledge.reaches(10_000);
  clock.nowMs = 12_000;
  expect(knowledge.isCurrent()).toBe(true);
  clock.nowMs = 12_001;
  expect(knowledge.isCurrent()).toBe(false);
});

it('does not fall back by what was asked earlier and is heard later', () => {
  const knowledge = new RightsKnowledge({ monotonicMs: () => 12_000 });
  knowledge.reaches(11_000);
  knowledge.reaches(9_000);
  expect(knowledge.isCurrent()).toBe(true);
});

it('is waited for until it is current, and no longer', async () => {
  const knowledge = new RightsKnowledge({ monotonicMs: () => 10_000 });
  let isCurrent = false;
  const waiting = knowledge.becomesCurrent().then(() => {
    isCurrent = true;
  });
  knowledge.reaches(7_000);
  await new Promise(setImmediate);
  expect(isCurrent).toBe(false);
  knowledge.reaches(9_000);
  await waiting;
  await knowledge.becomesCurrent();
});
