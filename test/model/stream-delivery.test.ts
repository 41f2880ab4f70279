import { describe, expect, it } from 'vitest';
import { explore } from './stream-delivery.ts';
import type { Rule } from './stream-world.ts';

const growing = { appends: 4, trims: 0, losses: 0, opens: 2 };
const losing = { appends: 3, trims: 1, losses: 1, opens: 2 };

describe('the way from the log to a subscriber', () => {
  it.each([
    ['grows', growing, 1_000],
    ['grows, is trimmed, and loses its tail or everything', losing, 30_000],
  ])('misses nothing silently in any interleaving while the log %s', (_, bounds, statesMin) => {
    const { states, violation } = explore(bounds, []);
    expect(violation).toBeNull();
    expect(states).toBeGreaterThan(statesMin);
  });

  it('ends streams for nothing where the tail reads only what is new', () => {
    expect(explore(growing, ['the tail reads from where it stands']).violation).not.toBeNull();
  });

  it.each<Rule>([
    'the tail reads from where it stands',
    'the tail checks numbers and epoch',
    'a page checks numbers and epoch',
    'an empty read is verified',
    'a position is checked',
    'a stream beyond the end is ended',
    'an event tells what it came after',
  ])('does not hold without: %s', (rule) => {
    expect(explore(losing, [rule]).violation).not.toBeNull();
  });

  // What they notice at once, links between events and the look for streams beyond the end notice later.
  it.each<Rule>([
    'a new epoch has another word',
    'a resync ends the streams',
    'a stream of another epoch does not join',
  ])('holds, if more slowly, without: %s', (rule) => {
    expect(explore(losing, [rule]).violation).toBeNull();
  });
});
