import { parseHookJob, serializeHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { type WaitingByIntegration, WaitingTally } from '@widget-service/shared/domain/queue-item.ts';
import type { HookQueue } from '@widget-service/shared/ports/hook-queue.ts';
import { addJob, countWaiting, inspectJobs, type JobQueue } from './job-queue.ts';
import { commandDeadlineMs } from './memory-server.ts';
import { SimulatedHookConsumer, type SimulatedHookQueueOptions } from './simulated-hook-consumer.ts';

/** Returns the queue, and a function that closes the consumers that are still open. */
export function openSimulatedHookQueue(options: SimulatedHookQueueOptions): {
  queue: HookQueue;
  close: () => Promise<void>;
} {
  const { server, link } = options;
  const consumers = new Set<SimulatedHookConsumer>();
  const isOwn = (token: string) => [...consumers].some((consumer) => consumer.owns(token));
  const queue: HookQueue = {
    partitionCount: server.options.partitions,
    enqueue: ({ jobId, partition, items }) => {
      const text = serializeHookJob(items);
      return link.call('enqueue', commandDeadlineMs, (send) =>
        send(() => {
          addJob(server.state.queue, { jobId, partition, text, addedAtMs: server.nowMs });
          server.enqueued.notify();
        }),
      );
    },
    pressure: () =>
      link.call('pressure', commandDeadlineMs, (send) =>
        send(() => ({
          waitingJobs: countWaiting(server.state.queue),
          memoryUsedRatio: null,
          memoryLimitBytes: null,
          waitingByIntegration: countByIntegration(server.state.queue),
        })),
      ),
    inspect: () =>
      link.call('inspect', commandDeadlineMs, (send) =>
        send(() => inspectJobs(server.state.queue, { nowMs: server.nowMs, isOwn })),
      ),
    consume: async (handle, consumeOptions = { coalesce: false }) => {
      const consumer = new SimulatedHookConsumer({ ...options, ...consumeOptions, handle });
      consumers.add(consumer);
      consumer.start();
      return consumer;
    },
  };
  return {
    queue,
    close: async () => {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
    },
  };
}

function countByIntegration({ jobs }: JobQueue): WaitingByIntegration {
  const tally = new WaitingTally();
  for (const { text } of jobs.values()) {
    try {
      tally.add(parseHookJob(text).items);
    } catch {
      // A job of a newer version.
    }
  }
  return tally.counts;
}
