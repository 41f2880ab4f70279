import { describe, expect, test } from 'vitest';
import { computeMemoryUsedRatio, parseMaxMemoryBytes } from './redis-info.ts';

describe('computeMemoryUsedRatio', () => {
  test('returns used_memory divided by maxmemory', () => {
    expect(computeMemoryUsedRatio('used_memory:750\r\nused_memory_human:750B\r\nmaxmemory:1000\r\n')).toBe(0.75);
  });

  test('returns null when maxmemory is 0 or missing', () => {
    expect(computeMemoryUsedRatio('used_memory:750\r\nmaxmemory:0\r\n')).toBeNull();
    expect(computeMemoryUsedRatio('used_memory:750\r\n')).toBeNull();
  });
});

describe('parseMaxMemoryBytes', () => {
  test('returns 0 when Redis has no limit, and null when INFO lacks the field', () => {
    expect(parseMaxMemoryBytes('maxmemory:1000\r\nmaxmemory_human:1000B\r\n')).toBe(1000);
    expect(parseMaxMemoryBytes('maxmemory:0\r\n')).toBe(0);
    expect(parseMaxMemoryBytes('maxmemory_policy:noeviction\r\n')).toBeNull();
  });
});
