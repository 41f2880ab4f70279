import { setTimeout as delay } from 'node:timers/promises';
import { type Job, Worker } from 'bullmq';

const pauseAfterFailureMs = 1000;

/** A BullMQ worker that remembers when it last asked for a job. */
export class WatchedWorker extends Worker<string, null> {
  #polledAtMs = performance.now();

  get polledAtMs(): number {
    return this.#polledAtMs;
  }

  /** Renews the lock of this job no more: it may be another worker's by now. */
  letGo(jobId: string): void {
    this.lockManager.untrackJob(jobId);
  }

  /** Stops what `close` does not come to while it waits for a Redis that is away. */
  abandon(): Promise<void> {
    return this.lockManager.close();
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<string, null>> {
    this.#polledAtMs = performance.now();
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      // BullMQ asks again at once when Redis answers with an error (out of memory, for one): without end or pause.
      await delay(pauseAfterFailureMs);
      throw error;
    }
  }
}
