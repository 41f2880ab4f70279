import { describe, expect, it } from 'vitest';
import { explore } from './publishing-protocol.ts';
import {
  expiring,
  losing,
  losingAndTrimming,
  missedAlone,
  missedTogether,
  overlappingRuns,
  refusedAndRedriven,
  spare,
} from './publishing-worlds.ts';

describe('the publishing protocol', () => {
  it.each([
    ['a run, the same job again and another batch that repeats a hook', overlappingRuns, 5_000],
    ['runs that may sleep for longer than guards last', expiring, 20_000],
    ['runs of a hook that is refused, given up and redriven', refusedAndRedriven, 2_000],
    ['runs while the log is wiped or comes back as it was', losing, 5_000],
    ['runs while the log is lost, and trimmed', losingAndTrimming, 5_000],
  ])('holds in every interleaving of %s', (_, world, statesMin) => {
    const { states, violation } = explore(world, []);
    expect(violation).toBeNull();
    expect(states).toBeGreaterThan(statesMin);
  });

  const alone = missedAlone.flatMap(([world, rules]) => rules.map((rule) => ({ rule, world })));
  it.each(alone)('does not hold without: $rule', ({ rule, world }) => {
    expect(explore(world, [rule]).violation).not.toBeNull();
  });

  it.each(missedTogether)('does not hold in $0 without both: $1', (world, rules) => {
    expect(explore(world, rules).violation).not.toBeNull();
  });

  it.each([
    ['overlap', overlappingRuns],
    ['lose the log', losing],
  ])('rests on more than one rule where runs %s: without all the spare ones it holds', (_, world) => {
    expect(explore(world, spare).violation).toBeNull();
    expect(explore(world, ['the effect is guarded by the version']).violation).toBeNull();
  });
});
