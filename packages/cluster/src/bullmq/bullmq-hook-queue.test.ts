import { expect, it } from 'vitest';
import { memoryUsedRatio } from './bullmq-hook-queue.ts';

it('tells the used share of the memory Redis may use', () => {
  expect(memoryUsedRatio('used_memory:750\r\nused_memory_human:750B\r\nmaxmemory:1000\r\n')).toBe(0.75);
});

it('knows no share without a limit', () => {
  expect(memoryUsedRatio('used_memory:750\r\nmaxmemory:0\r\n')).toBeNull();
  expect(memoryUsedRatio('used_memory:750\r\n')).toBeNull();
});
