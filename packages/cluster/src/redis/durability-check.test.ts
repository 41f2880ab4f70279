import { describe, expect, it } from 'vitest';
import { checkDurability, durabilityProblems } from './durability-check.ts';

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

describe('at first contact', () => {
  const durable = 'maxmemory_policy:noeviction\r\naof_enabled:1\r\n';
  async function warningsOf(info: string): Promise<string[]> {
    const warnings: string[] = [];
    await checkDurability({ info: async () => info }, (message) => warnings.push(message));
    return warnings;
  }

  it('warns of a Redis whose memory nothing bounds, and takes it', async () => {
    expect(await warningsOf(`${durable}maxmemory:0\r\n`)).toEqual([expect.stringContaining('maxmemory')]);
  });

  it('does not warn of one that has a bound, or does not tell', async () => {
    expect(await warningsOf(`${durable}maxmemory:1000\r\n`)).toEqual([]);
    expect(await warningsOf(durable)).toEqual([]);
  });
});
