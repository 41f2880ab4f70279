import { describe, expect, it } from 'vitest';
import { explore, type Plan, type Rule } from './admin-roster.ts';

const stop = (user: 'a' | 'b'): Plan => ({ user, admin: false });
const make = (user: 'a' | 'b'): Plan => ({ user, admin: true });

const both = { admins: ['a', 'b'], confirmedIds: ['a', 'b'] } as const;
/**
 * A pod crashed after it made `b` an admin and before it confirmed `b`, or after it removed `b` and before the change.
 */
const oneUnconfirmed = { admins: ['a', 'b'], confirmedIds: ['a'] } as const;

const races: readonly (readonly Plan[])[] = [
  [stop('a'), stop('b'), make('b')],
  [stop('a'), stop('b'), stop('b')],
  [make('a'), make('a'), stop('a')],
  [stop('a'), make('b'), make('b')],
];

describe('the admin roster', () => {
  it.each(races.flatMap((plans, race) => [both, oneUnconfirmed].map((start) => ({ race, plans, start }))))(
    'holds in every interleaving of race $race, with $start.confirmedIds confirmed',
    { timeout: 20_000 },
    ({ plans, start }) => {
      const { states, violation } = explore(plans, null, start);
      expect(violation).toBeNull();
      expect(states).toBeGreaterThan(200);
    },
  );

  it.each<Rule>([
    'an admin is removed from the roster before the change',
    'another confirmed admin is left',
    'a change requires the version that was read',
    'a removal deletes a pending attempt',
    'only the latest attempt confirms a user',
  ])('does not hold without the rule: %s', (rule) => {
    const violations = [both, oneUnconfirmed].flatMap((start) =>
      [...races, [stop('a'), make('a'), make('a'), stop('b')]].map((plans) => explore(plans, rule, start).violation),
    );
    expect(violations.filter((violation) => violation !== null)).not.toHaveLength(0);
  });
});
