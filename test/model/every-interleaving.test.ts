import { expect, it } from 'vitest';
import { explore, plans } from './publishing-protocol.ts';

it('the publishing protocol holds in every interleaving of all four actors', () => {
  const { states, violation } = explore(plans, null);
  expect(violation).toBeNull();
  expect(states).toBeGreaterThan(400_000);
});
