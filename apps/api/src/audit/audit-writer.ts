import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import { UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { AuditEventStore } from '@widget-service/shared/ports/audit-event-store.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

const retryAfterMs = 1_000;
/** The most events of one write. */
const batchMax = 500;
/** How many events may wait. Above it, the oldest are lost. */
const waitingMax = 10_000;

export interface AuditWriterDeps {
  readonly store: Pick<AuditEventStore, 'append'>;
  readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly metrics: Pick<Metrics, 'auditEventsLost'>;
}

/** An event that is not stored yet. */
interface WaitingEvent {
  readonly event: AuditEvent;
  /** Resolves the promise of `write`. Later calls have no effect. */
  readonly settle: () => void;
}

/**
 * Writes audit events to the store. Events that arrive during a write share the next one.
 *
 * A write that fails is repeated every second, and with the next event, until the store accepts it. The events wait in
 * memory meanwhile. An event that can no longer be stored is lost: too many wait, the process ends, or the store will
 * never accept it. Then the log has it as a line at the level `error`, complete.
 */
export class AuditWriter {
  readonly #deps: AuditWriterDeps;
  #waiting: WaitingEvent[] = [];
  #writing: Promise<void> | null = null;
  #retryTimer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor(deps: AuditWriterDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves once the event is durable, once its first write has failed, or after `waitMs`, whichever is first. Never
   * rejects.
   */
  async write(event: AuditEvent, waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ event, settle: resolve });
    if (this.#waiting.length > waitingMax) this.#lose(this.#waiting.splice(0, 1));
    this.#flush();
    await withDeadline(promise, waitMs, 'write an audit event').catch(() => {
      this.#deps.logger.warn({ auditEventId: event.id, action: event.action }, 'audit.deferred');
    });
  }

  /** Writes what waits, once more. Resolves within 2 s and never rejects. What is not stored then is lost. */
  async close(): Promise<void> {
    const writeLast = async () => {
      await this.#writing;
      this.#flush();
      while (this.#writing !== null) await this.#writing;
    };
    await withDeadline(writeLast(), requestDeadlineMs, 'write the last audit events').catch(() => undefined);
    clearTimeout(this.#retryTimer);
    this.#lose(this.#waiting.splice(0));
  }

  #flush(): void {
    if (this.#writing !== null || this.#waiting.length === 0) return;
    clearTimeout(this.#retryTimer);
    const batch = this.#waiting.slice(0, batchMax);
    this.#writing = this.#append(batch).then((isStored) => {
      this.#writing = null;
      const isWaiting = new Set(batch);
      // Only now: an event that is lost meanwhile, because too many wait, has left the list.
      if (isStored) this.#waiting = this.#waiting.filter((waiting) => !isWaiting.has(waiting));
      const hasNew = this.#waiting.some((waiting) => !isWaiting.has(waiting));
      for (const { settle } of batch) settle();
      if (hasNew) this.#flush();
      else if (this.#waiting.length > 0) this.#retryTimer = setTimeout(() => this.#flush(), retryAfterMs).unref();
    });
  }

  /** Returns whether the batch needs no further write. Never rejects. */
  async #append(batch: readonly WaitingEvent[]): Promise<boolean> {
    try {
      await this.#deps.store.append(batch.map(({ event }) => event));
      if (this.#hasFailed) this.#deps.logger.info({ events: batch.length }, 'audit.stored_again');
      this.#hasFailed = false;
      return true;
    } catch (err) {
      if (err instanceof UnstorableError) return this.#appendEach(batch, err);
      if (!this.#hasFailed) this.#deps.logger.error({ err, waiting: this.#waiting.length }, 'audit.not_stored');
      this.#hasFailed = true;
      return false;
    }
  }

  /** One event of the batch is unstorable: the others must not wait for it. */
  async #appendEach(batch: readonly WaitingEvent[], cause: UnstorableError): Promise<boolean> {
    if (batch.length === 1) {
      this.#lose(batch, cause);
      return true;
    }
    for (const waiting of batch) if (!(await this.#append([waiting]))) return false;
    return true;
  }

  #lose(events: readonly WaitingEvent[], err?: unknown): void {
    for (const { event, settle } of events) {
      this.#deps.metrics.auditEventsLost.inc();
      this.#deps.logger.error({ auditEvent: event, ...(err === undefined ? {} : { err }) }, 'audit.lost');
      settle();
    }
  }
}
