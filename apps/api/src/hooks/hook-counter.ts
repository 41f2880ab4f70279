import {
  type HookCountStore,
  type HookCounts,
  hookCountLimits,
  toHour,
} from '@widget-service/shared/ports/hook-count-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

const writeEveryMs = 10_000;

export interface HookCounterDeps {
  readonly hookCounts: Pick<HookCountStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

interface OpenCount {
  accepted: number;
  refused: number;
}

/**
 * Counts the hooks of each integration, and adds the counts to the store every 10 s, in the background. A hook counts
 * in the hour of that write. No request waits for it or fails with it: to count costs one look-up in a map.
 *
 * While the store is unavailable, the pod keeps at most 24 counts per integration, and tries again every 10 s. A pod
 * that is killed loses the counts of its last 10 s.
 */
export class HookCounter {
  readonly #deps: HookCounterDeps;
  /** The counts since the last write, by integration. */
  #open = new Map<string, OpenCount>();
  /** Counts whose write failed. */
  #unwritten: readonly HookCounts[] = [];
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: HookCounterDeps) {
    this.#deps = deps;
  }

  count(integrationId: string, outcome: keyof OpenCount): void {
    let counts = this.#open.get(integrationId);
    if (counts === undefined) {
      counts = { accepted: 0, refused: 0 };
      this.#open.set(integrationId, counts);
      this.#timer ??= setTimeout(() => this.#startWrite(), writeEveryMs).unref();
    }
    counts[outcome] += 1;
  }

  /** Writes what waits, once. Resolves within 2 s and never rejects. */
  async close(): Promise<void> {
    const writeLast = async () => {
      await this.#writing;
      await this.#write();
    };
    await withDeadline(writeLast(), requestDeadlineMs, 'write the last counts of hooks').catch(() => undefined);
    clearTimeout(this.#timer);
  }

  #startWrite(): void {
    this.#writing = this.#write().finally(() => {
      const hasWaiting = this.#open.size + this.#unwritten.length > 0;
      this.#timer = hasWaiting ? setTimeout(() => this.#startWrite(), writeEveryMs).unref() : undefined;
    });
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const now = this.#deps.clock.now();
    const hour = toHour(now);
    const counted = [...this.#open].map(([integrationId, counts]) => ({ integrationId, hour, ...counts }));
    this.#open = new Map();
    const batch = mergeByHour([...this.#unwritten, ...counted], now);
    this.#unwritten = [];
    if (batch.length === 0) return;
    try {
      await this.#deps.hookCounts.add(batch);
      if (this.#hasFailed) this.#deps.logger.info({}, 'hook_counts.stored');
      this.#hasFailed = false;
    } catch (err) {
      this.#unwritten = batch;
      if (!this.#hasFailed) this.#deps.logger.warn({ err }, 'hook_counts.not_stored');
      this.#hasFailed = true;
    }
  }
}

/** Adds the counts of one integration and hour. Drops those of hours that no store keeps. */
function mergeByHour(counts: readonly HookCounts[], now: Date): HookCounts[] {
  const oldestMs = now.getTime() - hookCountLimits.keepMs;
  const merged = new Map<string, HookCounts>();
  for (const { integrationId, hour, accepted, refused } of counts) {
    if (hour.getTime() <= oldestMs) continue;
    const key = `${hour.getTime()} ${integrationId}`;
    const before = merged.get(key) ?? { accepted: 0, refused: 0 };
    merged.set(key, {
      integrationId,
      hour,
      accepted: before.accepted + accepted,
      refused: before.refused + refused,
    });
  }
  return [...merged.values()];
}
