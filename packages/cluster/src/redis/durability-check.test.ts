import { expect, it } from 'vitest';
import { durabilityProblems } from './durability-check.ts';

it('takes a Redis that keeps an append-only file and evicts nothing', () => {
  expect(durabilityProblems('# Memory\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n')).toEqual([]);
});

it('names what is wrong', () => {
  expect(durabilityProblems('maxmemory_policy:allkeys-lru\r\naof_enabled:0\r\n')).toEqual([
    'the append-only file is off',
    'maxmemory-policy is allkeys-lru, not noeviction',
  ]);
});

it('does not trust a Redis that tells nothing', () => {
  expect(durabilityProblems('redis_version:7.0.15\r\n')).toHaveLength(2);
});
