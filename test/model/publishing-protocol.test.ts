import { describe, expect, it } from 'vitest';
import { explore, plans, type Rule } from './publishing-protocol.ts';

describe('the publishing protocol', () => {
  it('holds in every interleaving of a run, the same job again and another batch that repeats a hook', () => {
    const { states, violation } = explore(plans.slice(0, 3), null);
    expect(violation).toBeNull();
    expect(states).toBeGreaterThan(5_000);
  });

  it.each<Rule>(['guard-of-the-effect', 'outbox-is-looked-at', 'mark-before-pull', 'watermark', 'ledger-after-claim'])(
    'does not hold without the rule %s',
    (rule) => {
      expect(explore(plans, rule).violation).not.toBeNull();
    },
  );
});
