import { makeTakeLocally } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { AuditEvent, StoredAuditEvent } from '@widget-service/shared/entities/audit-event.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { type Clock, requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';

/** After an event was listed, equal events are only counted for this long. */
const windowMs = 60_000;
/** How many sampled events each pod lists, per group of actors: about 17 000 a day, from however many addresses. */
const listedLimit: RateLimit = { ratePerSecond: 0.2, burst: 200 };
/** How many events may wait for the store. Above it, the oldest are lost. */
const unstoredMax = 10_000;
/** How many failed writes are repeated at once. */
const repeatedAtOnce = 100;
/** The wait for an event that no response depends on. */
const backgroundWaitMs = 10_000;

export interface AuditTrailDeps {
  readonly events: Pick<Collection<StoredAuditEvent>, 'insert'>;
  readonly settings: Pick<Settings, 'AUDIT_RETENTION_MS'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly metrics: Pick<Metrics, 'auditEventsLost'>;
}

interface Window {
  readonly closesAtMs: number;
  readonly isSampled: boolean;
  /** The first event that was only counted in this window, with the number of the others. */
  counted: AuditEvent | null;
}

/**
 * Writes the audit events of a process. None of its promises rejects.
 *
 * A write that fails is repeated every second until the store accepts it; the event waits in memory. An event that can
 * no longer be stored is lost: too many wait, the process ends, or the store will never accept it. Then the log has it
 * as a line at the level `error`, complete.
 *
 * Some events must not fill the store, because callers can cause them at will: a change that concerns the caller alone
 * (`writeFirst`), a refusal such as a failed sign-in (`sample`).
 *
 * 1. The first event of its kind is listed. A kind is one action, operation, outcome, code, actor, target and address.
 * 2. For a minute, further events of the kind are only counted. Then one event stands for them all: it has the members
 *    of the first of them, and their number (`unlisted`). The next minute begins.
 * 3. `sample` alone: if more than `listedLimit` are to be listed, the others share one event per action, code and
 *    actor, without target and address, once a minute.
 */
export class AuditTrail {
  readonly #deps: AuditTrailDeps;
  readonly #unstored = new Set<AuditEvent>();
  readonly #windows = new Map<string, Window>();
  /** A limit per group of actors: a flood of anonymous requests must not use up the limit of known callers. */
  readonly #takeLocally = makeTakeLocally(listedLimit);
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor(deps: AuditTrailDeps) {
    this.#deps = deps;
  }

  /** Resolves once the event is durable, once its first write has failed, or after `waitMs`, whichever is first. */
  async write(event: AuditEvent, waitMs: number): Promise<void> {
    this.#unstored.add(event);
    const [oldest] = this.#unstored;
    if (oldest !== undefined && this.#unstored.size > unstoredMax) this.#lose(oldest);
    await withDeadline(this.#store(event), waitMs, 'write an audit event').catch(() => {
      this.#deps.logger.warn({ auditEventId: event.id, action: event.action }, 'audit.deferred');
    });
  }

  /** As `write`, unless an event of its kind was listed within the last minute: then it only counts the event. */
  writeFirst(event: AuditEvent, waitMs: number): Promise<void> {
    return this.#writeOrCount(event, waitMs, { isSampled: false });
  }

  /** Writes or counts an event in the background. */
  sample(event: AuditEvent): void {
    const isSampled = this.#windows.has(toKind(event)) || this.#takePermit(event);
    // The limit does not count the shared event: there are few actions and codes.
    void this.#writeOrCount(isSampled ? event : toSharedEvent(event), backgroundWaitMs, { isSampled });
  }

  /** Writes what was only counted, and what the store has not accepted, once more. Resolves within 2 s. */
  async close(): Promise<void> {
    for (const { counted } of this.#windows.values()) if (counted !== null) void this.write(counted, backgroundWaitMs);
    this.#windows.clear();
    await withDeadline(this.#storeAgain(), requestDeadlineMs, 'write the last audit events').catch(() => undefined);
    clearTimeout(this.#timer);
    this.#hasFailed = false;
    for (const event of this.#unstored) this.#lose(event);
  }

  async #writeOrCount(event: AuditEvent, waitMs: number, { isSampled }: Pick<Window, 'isSampled'>): Promise<void> {
    const kind = toKind(event);
    const window = this.#windows.get(kind);
    if (window === undefined) {
      this.#windows.set(kind, { closesAtMs: this.#deps.clock.monotonicMs() + windowMs, isSampled, counted: null });
      this.#schedule();
      await this.write(event, waitMs);
    } else {
      const { counted } = window;
      const more = 1 + event.unlisted;
      window.counted = counted === null ? event : { ...counted, unlisted: counted.unlisted + more };
    }
  }

  /** Checks every second, while there is anything to do, for windows that have ended and events that are not stored. */
  #schedule(): void {
    if (this.#timer !== undefined || (this.#windows.size === 0 && !this.#hasFailed)) return;
    this.#timer = setTimeout(async () => {
      this.#closeWindows();
      if (this.#hasFailed) await this.#storeAgain();
      this.#timer = undefined;
      this.#schedule();
    }, 1_000).unref();
  }

  #closeWindows(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [kind, { closesAtMs, isSampled, counted }] of [...this.#windows]) {
      if (closesAtMs > nowMs) continue;
      this.#windows.delete(kind);
      if (counted === null) continue;
      if (isSampled) this.sample(counted);
      else void this.writeFirst(counted, backgroundWaitMs);
    }
  }

  #takePermit({ actor: { kind } }: AuditEvent): boolean {
    const group = kind === 'anonymous' || kind === 'system' ? kind : 'known';
    return this.#takeLocally(group, this.#deps.clock.monotonicMs());
  }

  /** Returns whether the event needs no further write. */
  async #store(event: AuditEvent): Promise<boolean> {
    try {
      const expiresAt = new Date(event.occurredAt.getTime() + this.#deps.settings.AUDIT_RETENTION_MS);
      // False: an earlier attempt has stored it.
      await this.#deps.events.insert({ ...event, expiresAt });
      this.#unstored.delete(event);
      return true;
    } catch (err) {
      // Lost meanwhile.
      if (!this.#unstored.has(event)) return true;
      if (!(err instanceof UnavailableError)) {
        this.#lose(event, err);
        return true;
      }
      if (!this.#hasFailed) this.#deps.logger.error({ err }, 'audit.not_stored');
      this.#hasFailed = true;
      this.#schedule();
      return false;
    }
  }

  async #storeAgain(): Promise<void> {
    while (this.#unstored.size > 0) {
      const events = [...this.#unstored].slice(0, repeatedAtOnce);
      const results = await Promise.all(events.map((event) => this.#store(event)));
      if (results.includes(false)) return;
    }
    if (this.#hasFailed) this.#deps.logger.info({}, 'audit.stored_again');
    this.#hasFailed = false;
  }

  #lose(event: AuditEvent, err?: unknown): void {
    if (!this.#unstored.delete(event)) return;
    this.#deps.metrics.auditEventsLost.inc();
    this.#deps.logger.error({ auditEvent: event, ...(err === undefined ? {} : { err }) }, 'audit.lost');
  }
}

function toKind({ action, operation, outcome, code, actor, target, clientAddress }: AuditEvent): string {
  return JSON.stringify([action, operation, outcome, code, actor, target, clientAddress]);
}

/** The event that stands for all of its action and actor. The target of a `system` event is one that was revoked. */
function toSharedEvent(event: AuditEvent): AuditEvent {
  const { target, targetName } = event.actor.kind === 'system' ? event : { target: null, targetName: null };
  return { ...event, operation: null, target, targetName, clientAddress: null, emailHmac: null, requestId: null };
}
