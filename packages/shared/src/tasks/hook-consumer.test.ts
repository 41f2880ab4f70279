import { afterEach, expect, it } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import type { ConsumedBatch, ConsumeOutcome, HookQueue } from '../ports/hook-queue.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { createHookConsumerTask } from './hook-consumer.ts';

const logger = await createLogger({ level: 'silent' });
let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

/** A consumer whose stores are away, on a clock that is set by hand. Its pauses end only when they are called off. */
async function startConsumer() {
  const state = { nowMs: 0, pauses: 0, handle: async (_: ConsumedBatch): Promise<ConsumeOutcome> => 'done' };
  const away = async () => {
    throw new UnavailableError('the stores are away');
  };
  const consume: HookQueue['consume'] = async (handle) => {
    state.handle = handle;
    return { checkProgress: () => undefined, close: async () => undefined };
  };
  const task = createHookConsumerTask({
    hookQueue: { consume },
    processBatch: away,
    runs: { lastPosition: away },
    eventLog: { inspect: away },
    ledger: { markDead: away },
    quarantine: { add: away },
    clock: {
      ...systemClock,
      monotonicMs: () => state.nowMs,
      sleep: (_, signal) => {
        state.pauses += 1;
        return new Promise((resolve) => {
          if (signal?.aborted) resolve();
          signal?.addEventListener('abort', () => resolve());
        });
      },
    },
    logger,
    metrics: createMetrics(),
  });
  void task.run(stop.signal);
  await new Promise(setImmediate);
  /** Starts a job in a partition of its own, and resolves when its first run has failed. */
  const start = async (partition: number) => {
    const { signal } = new AbortController();
    const item = { type: 'nudge', widgetId: 'w' } as const;
    const batch = { jobId: `job-${partition}`, partition, items: [item], unreadable: [], startCount: 1, signal };
    const outcome = state.handle(batch);
    for (const before = state.pauses; state.pauses === before; ) await new Promise(setImmediate);
    return { outcome };
  };
  return { task, state, start };
}

it('hands every job back as soon as its stores are away, also one that waits for its next try', async () => {
  const { state, start } = await startConsumer();
  const { outcome } = await start(0);
  state.nowMs = 10_000;
  const { outcome: other } = await start(1);
  expect(await Promise.all([outcome, other])).toEqual(['release', 'release']);
});

it('is not well while its stores are away', async () => {
  const { task, state, start } = await startConsumer();
  await start(0);
  expect(task.problem()).toBeNull();
  state.nowMs = 10_000;
  await start(1);
  expect(task.problem()).toContain('do not answer');
});
