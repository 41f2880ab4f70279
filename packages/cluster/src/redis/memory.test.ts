import { expect, it } from 'vitest';
import { maxMemoryBytes, memoryUsedRatio } from './redis-info.ts';

it('tells the used share of the memory Redis may use', () => {
  expect(memoryUsedRatio('used_memory:750\r\nused_memory_human:750B\r\nmaxmemory:1000\r\n')).toBe(0.75);
});

it('knows no share without a limit', () => {
  expect(memoryUsedRatio('used_memory:750\r\nmaxmemory:0\r\n')).toBeNull();
  expect(memoryUsedRatio('used_memory:750\r\n')).toBeNull();
});

it('tells a Redis without a limit from one that does not tell its limit', () => {
  expect(maxMemoryBytes('maxmemory:1000\r\nmaxmemory_human:1000B\r\n')).toBe(1000);
  expect(maxMemoryBytes('maxmemory:0\r\n')).toBe(0);
  expect(maxMemoryBytes('maxmemory_policy:noeviction\r\n')).toBeNull();
});
