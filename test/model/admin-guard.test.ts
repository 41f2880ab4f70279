import { describe, expect, it } from 'vitest';
import { explore, type Plan, type Rule } from './admin-guard.ts';

const stop = (user: 'a' | 'b'): Plan => ({ user, admin: false });
const make = (user: 'a' | 'b'): Plan => ({ user, admin: true });

const both = { admins: ['a', 'b'], ids: ['a', 'b'] } as const;
/** A pod has died between making `b` an admin and counting them, or between having them leave and the change. */
const oneUncounted = { admins: ['a', 'b'], ids: ['a'] } as const;

const races: readonly (readonly Plan[])[] = [
  [stop('a'), stop('b'), make('b')],
  [stop('a'), stop('b'), stop('b')],
  [make('a'), make('a'), stop('a')],
  [stop('a'), make('b'), make('b')],
];

describe('the guard of the last admin', () => {
  it.each(races.flatMap((plans, race) => [both, oneUncounted].map((start) => ({ race, plans, start }))))(
    'holds in every interleaving of race $race, counting $start.ids',
    { timeout: 20_000 },
    ({ plans, start }) => {
      const { states, violation } = explore(plans, null, start);
      expect(violation).toBeNull();
      expect(states).toBeGreaterThan(200);
    },
  );

  it.each<Rule>([
    'leave-before-the-change',
    'another-is-left',
    'change-only-what-was-read',
    'leaving-ends-joining',
    'confirm-only-ones-own-mark',
  ])('does not hold without the rule %s', (rule) => {
    const violations = [both, oneUncounted].flatMap((start) =>
      [...races, [stop('a'), make('a'), make('a'), stop('b')]].map((plans) => explore(plans, rule, start).violation),
    );
    expect(violations.filter((violation) => violation !== null)).not.toHaveLength(0);
  });
});
