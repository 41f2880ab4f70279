import { describe, expect, test } from 'vitest';
import { modelRules } from '../mutations/model-rules.ts';
import { explore } from './publishing-protocol.ts';
import { expiring, losing, losingAndTrimming, overlappingRuns, unstorableAndRedriven } from './publishing-worlds.ts';

// `findViolation` defines the promises. publishing-worlds.ts describes the worlds.
describe('the publishing protocol', () => {
  test.each([
    ['a run, the same job again and another batch that repeats a hook', overlappingRuns, 5_000],
    ['runs that may sleep for longer than dedupe marks last', expiring, 20_000],
    ['runs of a hook that is unstorable, dead-lettered and redriven', unstorableAndRedriven, 2_000],
    ['runs while the log is wiped or restored from a copy', losing, 5_000],
    ['runs while the log is lost, and trimmed', losingAndTrimming, 5_000],
  ])('keeps its promises in every interleaving of %s', (_, world, statesMin) => {
    const { states, violation } = explore(world, []);
    expect(violation).toBeNull();
    // The bound shows that the runs did interleave: a model that gets stuck has few states.
    expect(states).toBeGreaterThan(statesMin);
  });

  test.each(modelRules)('breaks a promise without the rule: $rule', ({ world, without }) => {
    expect(explore(world, without).violation).not.toBeNull();
  });
});
