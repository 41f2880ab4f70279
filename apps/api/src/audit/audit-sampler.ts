import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import { type RateLimit, takePermits } from '@widget-service/shared/domain/gcra.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';

/** How long further events like one that was listed are only counted. */
const windowMs = 60_000;
const checkEveryMs = 1_000;
/** On each pod, for each group of actors: about 17 000 a day, however many addresses a flood comes from. */
const listedLimit: RateLimit = { ratePerSecond: 0.2, burst: 200 };

/** What the caller of `sample` knows: the sampler counts the rest. */
export type SampledEvent = Omit<AuditEvent, 'unlisted'>;

export interface AuditSamplerDeps {
  /** Gets the events to store. */
  readonly list: (event: AuditEvent) => void;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

interface Window {
  readonly closesAtMs: number;
  /** The first event that was only counted in this window, with the number of the others. */
  counted: AuditEvent | null;
}

/** Anonymous floods must not use up the limit of those who are known. */
type ActorGroup = 'anonymous' | 'known' | 'system';

/**
 * Bounds the events that callers can cause at will, such as failed sign-ins: a flood must not fill the store.
 * `countRepetition` has the first two rules, `sample` all three.
 *
 * 1. The first event of its kind is listed. A kind is one action, operation, outcome, code, actor, target and address.
 * 2. For a minute, further events of the kind are only counted. Then one event stands for them all: it has the members
 *    of the first of them, and their number (`unlisted`). The next minute begins.
 * 3. If more than `listedLimit` are to be listed, the others share one event per action, code and actor, without target
 *    and address, once a minute.
 *
 * So each event is listed or counted, unless the process is killed meanwhile.
 */
export class AuditSampler {
  readonly #deps: AuditSamplerDeps;
  readonly #windows = new Map<string, Window>();
  readonly #fullAtMs = new Map<ActorGroup, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: AuditSamplerDeps) {
    this.#deps = deps;
  }

  sample(event: SampledEvent): void {
    this.#listOrCount({ ...event, unlisted: 0 });
    this.#schedule();
  }

  /**
   * Counts an event if one of its kind was listed within the last minute. Otherwise returns false: the caller lists it.
   * For changes that concern the caller alone: they have rates of their own, so `listedLimit` does not apply.
   */
  countRepetition(event: AuditEvent): boolean {
    const window = this.#windows.get(toKind(event));
    if (window === undefined) this.#openWindow(event);
    else count(window, event);
    this.#schedule();
    return window !== undefined;
  }

  /** Lists what was only counted so far. */
  close(): void {
    clearTimeout(this.#timer);
    for (const { counted } of this.#windows.values()) if (counted !== null) this.#deps.list(counted);
    this.#windows.clear();
  }

  #listOrCount(event: AuditEvent): void {
    const window = this.#windows.get(toKind(event));
    if (window !== undefined) count(window, event);
    else if (this.#takePermit(event)) this.#open(event);
    else this.#countWithOthers(event);
  }

  #open(event: AuditEvent): void {
    this.#openWindow(event);
    this.#deps.list(event);
  }

  #openWindow(event: AuditEvent): void {
    this.#windows.set(toKind(event), { closesAtMs: this.#deps.clock.monotonicMs() + windowMs, counted: null });
  }

  /** The limit does not count the shared event: there are few actions and codes. */
  #countWithOthers(event: AuditEvent): void {
    const shared = toSharedEvent(event);
    const window = this.#windows.get(toKind(shared));
    if (window === undefined) this.#open(shared);
    else count(window, shared);
  }

  #takePermit(event: AuditEvent): boolean {
    const group = toGroup(event);
    const request = { atLeast: 1, atMost: 1 };
    const nowMs = this.#deps.clock.monotonicMs();
    const { outcome, fullAtMs } = takePermits(this.#fullAtMs.get(group) ?? 0, nowMs, listedLimit, request);
    this.#fullAtMs.set(group, fullAtMs);
    return outcome.granted > 0;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#windows.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#closeWindows();
      this.#schedule();
    }, checkEveryMs).unref();
  }

  #closeWindows(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [kind, { closesAtMs, counted }] of [...this.#windows]) {
      if (closesAtMs > nowMs) continue;
      this.#windows.delete(kind);
      if (counted === null) continue;
      if (isChange(counted) || isShared(counted) || this.#takePermit(counted)) this.#open(counted);
      else this.#countWithOthers(counted);
    }
  }
}

function count(window: Window, event: AuditEvent): void {
  const { counted } = window;
  const more = event.unlisted + 1;
  window.counted = counted === null ? event : { ...counted, unlisted: counted.unlisted + more };
}

function toKind({ action, operation, outcome, code, actor, target, clientAddress }: AuditEvent): string {
  return JSON.stringify([action, operation, outcome, code, actor, target, clientAddress]);
}

function toGroup({ actor: { kind } }: AuditEvent): ActorGroup {
  return kind === 'anonymous' || kind === 'system' ? kind : 'known';
}

/** The event that stands for all of its action and actor. The target of a `system` event is one that was revoked. */
function toSharedEvent(event: AuditEvent): AuditEvent {
  const target = event.actor.kind === 'system' ? event.target : null;
  const targetName = target === null ? null : event.targetName;
  return { ...event, operation: null, target, targetName, clientAddress: null, emailHmac: null, requestId: null };
}

/** Of `countRepetition`. The service itself only samples. */
function isChange({ outcome, actor }: AuditEvent): boolean {
  return outcome === 'succeeded' && actor.kind !== 'system';
}

function isShared(event: AuditEvent): boolean {
  return toKind(event) === toKind(toSharedEvent(event));
}
