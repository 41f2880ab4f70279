import { randomUUID } from 'node:crypto';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import {
  type WaitingByIntegration,
  type WaitingDeliveries,
  WaitingTally,
} from '@widget-service/shared/domain/queue-item.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { loadScript, runScript } from './redis-call.ts';

/** How long Redis remembers the number of a report. A report that is repeated after this time is counted twice. */
const markLifetimeMs = 3_600_000;

interface Report {
  /** Higher than those of earlier reports. */
  readonly number: number;
  readonly changes: WaitingByIntegration;
}

/**
 * Counts the deliveries in the hook queue by integration, in one Redis hash for all processes. A pod reports what it
 * has enqueued when it reads the counts, about once a second; a worker reports finished deliveries after each batch. If
 * a process is killed before it reports, the counts are wrong until the queue is empty.
 *
 * If the reply to a report was lost, the report is sent again with the same number. Redis counts each number once.
 */
export class RedisWaitingCounts {
  readonly #redis: Redis;
  readonly #keys: readonly [counts: string, mark: string];
  readonly #script = loadScript('count-waiting');
  readonly #unreported = new WaitingTally();
  /** Null if Redis has answered each report so far. */
  #unanswered: Report | null = null;
  #reportNumber = 0;
  /** The last call of `#report`. The next one waits for it, because reports are sent one by one. */
  #lastReport: Promise<unknown> = Promise.resolve();

  constructor(redis: Redis, keys: Pick<RedisKeys, 'waiting' | 'waitingReport'>) {
    this.#redis = redis;
    this.#keys = [keys.waiting, keys.waitingReport(randomUUID())];
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

  /** Reports what was recorded, and returns the counts of all processes. `jobLists`: the job lists of all queues. */
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

  #report(jobLists: readonly string[]): Promise<unknown> {
    const report = this.#lastReport.then(() => this.#sendAll(jobLists));
    this.#lastReport = report.catch(() => undefined);
    return report;
  }

  async #sendAll(jobLists: readonly string[]): Promise<unknown> {
    if (this.#unanswered !== null) await this.#send(this.#unanswered, []);
    const changes = this.#unreported.drain();
    if (changes.size === 0 && jobLists.length === 0) return [];
    this.#reportNumber += 1;
    return this.#send({ number: this.#reportNumber, changes }, jobLists);
  }

  async #send(report: Report, jobLists: readonly string[]): Promise<unknown> {
    // A report without changes need not be repeated.
    this.#unanswered = report.changes.size === 0 ? null : report;
    const changes = [...report.changes].flatMap(([id, { deliveries, bytes }]) => [id, deliveries, bytes]);
    const args = [report.number, markLifetimeMs, ...changes];
    const reply = await runScript(this.#redis, this.#script, [...this.#keys, ...jobLists], args);
    this.#unanswered = null;
    return reply;
  }
}
