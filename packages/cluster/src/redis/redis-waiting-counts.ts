import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import {
  type WaitingByIntegration,
  type WaitingDeliveries,
  WaitingTally,
} from '@widget-service/shared/domain/waiting-deliveries.ts';
import type { Redis } from 'ioredis';
import { loadScript, runScript } from './script.ts';

/**
 * The deliveries in the hook queue by integration, which all processes count together in one hash. Pods report what they
 * enqueued when they read the counts, about once a second; workers report what they have done after each batch. A
 * process that is killed leaves the counts wrong by what it had not reported, until the queue is empty.
 */
export class RedisWaitingCounts {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #script = loadScript('count-waiting');
  readonly #unreported = new WaitingTally();

  constructor(redis: Redis, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  /** Records deliveries that were enqueued, for the next report. */
  recordEnqueued(items: readonly QueueItem[]): void {
    this.#unreported.add(items);
  }

  /** Reports deliveries that are done. Never rejects: what could not be reported is reported next time. */
  async reportDone(items: readonly QueueItem[]): Promise<void> {
    this.#unreported.add(items, -1);
    await this.#report([]).catch(() => undefined);
  }

  /** Reports what was recorded, and returns the counts of all processes. `jobLists`: the lists of jobs of all queues. */
  async read(jobLists: readonly string[]): Promise<WaitingByIntegration> {
    const fields = (await this.#report(jobLists)) as string[];
    const counts = new Map<string, WaitingDeliveries>();
    for (let at = 0; at < fields.length; at += 2) {
      const [id = '', kind] = (fields[at] ?? '').split(' ');
      const value = Math.max(0, Number(fields[at + 1]));
      const before = counts.get(id) ?? { deliveries: 0, bytes: 0 };
      counts.set(id, { ...before, ...(kind === 'n' ? { deliveries: value } : { bytes: value }) });
    }
    return counts;
  }

  async #report(jobLists: readonly string[]): Promise<unknown> {
    const changes = this.#unreported.drain();
    if (changes.size === 0 && jobLists.length === 0) return [];
    const args = [...changes].flatMap(([id, { deliveries, bytes }]) => [id, deliveries, bytes]);
    try {
      return await runScript(this.#redis, this.#script, [this.#key, ...jobLists], args);
    } catch (error) {
      this.#unreported.addAll(changes);
      throw error;
    }
  }
}
