import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepAllRulesBut, type RuleName, ruleNames, ruleTexts } from './rules.ts';
import { formatShardedPosition, parseShardedPosition } from './sharded-position.ts';
import { simulateShardedLog } from './simulate-sharded-log.ts';

/** `npm run simulate:shards` tries more. */
const seeds = 1_500;
/** The slowest mutants show after some thousand seeds, so `npm run simulate:shards -- --mutations` tries those. */
const fastMutants: readonly RuleName[] = ruleNames.filter((name) => name !== 'fencesStamps');

describe('an event log with shards', () => {
  it(`keeps the promise under ${seeds} seeds`, () => {
    const failures = range(seeds).flatMap((seed) => {
      const { violations } = simulateShardedLog(seed, keepAllRulesBut());
      return violations.length === 0 ? [] : [`seed ${seed}: ${violations[0]}`];
    });
    expect(failures).toEqual([]);
  });

  it.each(fastMutants.map((name) => [ruleTexts[name], name] as const))('breaks it unless %s', (_, name) => {
    const breaks = (seed: number) => simulateShardedLog(seed, keepAllRulesBut(name)).violations.length > 0;
    expect(range(1_000).some(breaks)).toBe(true);
  });
});

describe('the text of a sharded position', () => {
  const part = fc.record({
    epoch: fc.stringMatching(/^[0-9a-z]{1,32}$/),
    ms: fc.maxSafeNat(),
    seq: fc.maxSafeNat(),
  });
  const position = fc.record({
    list: fc.integer({ min: 1, max: 36 ** 4 - 1 }),
    parts: fc.array(part, { minLength: 1, maxLength: 16 }),
  });

  it('reads back as the same position', () => {
    fc.assert(
      fc.property(position, (one) => {
        expect(parseShardedPosition(formatShardedPosition(one))).toEqual(one);
      }),
    );
  });

  it('is that of today for the only shard of the first list, so that pods of both versions understand it', () => {
    const today = 'k3f9.1764000000000.1284';
    const only = { list: 1, parts: [{ epoch: 'k3f9', ms: 1_764_000_000_000, seq: 1_284 }] };
    expect(parseShardedPosition(today)).toEqual(only);
    expect(formatShardedPosition(only)).toBe(today);
  });

  it.each([
    '',
    's1',
    's1~a.1.1',
    's0~a.1.1~a.1.1',
    's2~a.1',
    's2~a.1.1~',
    'S2~a.1.1',
    's2~a.01.1',
    's2~a.1.zzzzzzzzzzzz',
    `s2${'~a.1.1'.repeat(17)}`,
  ])('rejects %j', (text) => {
    expect(parseShardedPosition(text)).toBeNull();
  });
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
