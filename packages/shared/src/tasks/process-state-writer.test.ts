import { expect, test } from 'vitest';
import { systemClock } from '../runtime/clock.ts';
import { createProcessStateWriter } from './process-state-writer.ts';
import { aProcessState } from './testing/a-process-state.ts';

test('writes the state again after a failure, and removes it when the process stops', async () => {
  const state = aProcessState();
  const stopping = new AbortController();
  const calls: string[] = [];
  const task = createProcessStateWriter(
    {
      write: async (written, streams) => {
        calls.push(`${written.id} ${streams.size}`);
        if (calls.length === 1) throw new Error('the store is away');
        stopping.abort();
      },
      list: async () => [],
      remove: async (id) => void calls.push(`removed ${id}`),
    },
    { ...systemClock, sleep: async () => undefined },
    async () => state,
    () => new Map([['a', []]]),
  );
  await task.run(stopping.signal);
  expect(calls).toEqual([`${state.id} 1`, `${state.id} 1`, `removed ${state.id}`]);
});
