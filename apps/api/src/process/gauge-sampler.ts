import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { EventLog } from '@widget-service/shared/ports/event-log.ts';
import type { HookQueue } from '@widget-service/shared/ports/hook-queue.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { createPeriodicTask, type PeriodicOptions, type Task } from '@widget-service/shared/runtime/supervisor.ts';

export interface GaugeSamplerDeps {
  readonly backend: {
    readonly hookQueue: Pick<HookQueue, 'inspect'>;
    readonly eventLog: Pick<EventLog, 'inspect'>;
  };
  /** How far the tail of this pod has read. */
  readonly tailPosition: () => LogPosition | null;
  /** The directory of the SQLite file. Null: there is none. */
  readonly dataDir: string | null;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

const sampleEveryMs = 5_000;

/**
 * Creates the task that reads the state of the hook queue and of the event log every 5 s, for the gauges. A scrape
 * reads no store, so a store that is down does not block it. A gauge whose store does not answer becomes NaN.
 */
export function createGaugeSamplerTask({ backend, tailPosition, dataDir, clock, metrics }: GaugeSamplerDeps): Task {
  // A store that is down is counted by the metric of the call, and logged by those who need it.
  const options: PeriodicOptions = {
    name: 'state-sampler',
    stores: ['queue', 'events'],
    everyMs: sampleEveryMs,
    clock,
    onError: () => undefined,
  };
  const toAgeSeconds = (since: number) => Math.max(0, clock.now().getTime() - since) / 1_000;
  const queues = new Set<string>();

  async function sampleQueues(): Promise<void> {
    for (const { queue, jobs, oldestEnqueuedAt } of await backend.hookQueue.inspect()) {
      queues.add(queue);
      metrics.queueJobs.set({ queue }, jobs);
      metrics.queueAgeSeconds.set({ queue }, oldestEnqueuedAt === null ? 0 : toAgeSeconds(oldestEnqueuedAt.getTime()));
    }
  }

  async function sampleLog(): Promise<void> {
    // Read before the log, so that the lag is not negative.
    const position = tailPosition();
    const inspection = await backend.eventLog.inspect(null);
    if (inspection === null) return forgetLog();
    const { oldest, last, epoch } = inspection.extent;
    metrics.logEvents.set(last.seq - oldest.seq);
    metrics.logAgeSeconds.set(toAgeSeconds(oldest.ms));
    metrics.tailLagEvents.set(position?.epoch === epoch ? Math.max(0, last.seq - position.seq) : Number.NaN);
  }

  async function sampleDisk(directory: string): Promise<void> {
    const names = await readdir(directory);
    const sizes = await Promise.all(names.map((name) => stat(join(directory, name))));
    const { bavail, bsize } = await statfs(directory);
    metrics.databaseBytes.set(sizes.reduce((total, { size }) => total + size, 0));
    metrics.databaseDiskFreeBytes.set(bavail * bsize);
  }

  function forgetDisk(): void {
    for (const gauge of [metrics.databaseBytes, metrics.databaseDiskFreeBytes]) gauge.set(Number.NaN);
  }

  function forgetQueues(): void {
    for (const queue of queues) {
      metrics.queueJobs.set({ queue }, Number.NaN);
      metrics.queueAgeSeconds.set({ queue }, Number.NaN);
    }
  }

  function forgetLog(): void {
    for (const gauge of [metrics.logEvents, metrics.logAgeSeconds, metrics.tailLagEvents]) gauge.set(Number.NaN);
  }

  forgetLog();
  return createPeriodicTask(options, async () => {
    await Promise.all([
      sampleQueues().catch(forgetQueues),
      sampleLog().catch(forgetLog),
      dataDir === null ? null : sampleDisk(dataDir).catch(forgetDisk),
    ]);
  });
}
