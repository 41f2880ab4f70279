import type { ShardEntry } from './shard.ts';
import type { AppendedEvent } from './sharded-log.ts';
import type { ShardedPod, StreamListener } from './sharded-pod.ts';
import { maxPositionLength } from './sharded-position.ts';

/** A subscriber: it keeps its position over connections to any pod, and judges what it gets. */
export class ShardedClient implements StreamListener {
  readonly violations: string[] = [];
  readonly #name: string;
  readonly #now: () => number;
  #position: string | null = null;
  #pod: ShardedPod | null = null;
  /** When it first opened a stream: what was appended before is not its concern. */
  #openedAtStep: number | null = null;
  #lastGapAtStep = -1;
  #gaps = 0;
  readonly #seen = new Set<string>();
  /** Since the last gap: the versions and events that it has got. */
  #versions = new Map<number, number>();
  #sinceGap = new Set<string>();

  constructor(name: string, now: () => number) {
    this.#name = name;
    this.#now = now;
  }

  get isConnected(): boolean {
    return this.#pod !== null;
  }

  connect(pod: ShardedPod): void {
    if (this.#pod !== null) return;
    const isFirst = this.#openedAtStep === null;
    if (!pod.open(this.#position, this)) return;
    this.#pod = pod;
    if (isFirst) {
      this.#openedAtStep = this.#now();
      this.#position = pod.currentPosition();
    }
  }

  disconnect(): void {
    this.#pod?.close(this);
    this.#pod = null;
  }

  onEvent({ widget, version }: ShardEntry, position: string): void {
    const event = `${widget} v${version}`;
    if (this.#sinceGap.has(event)) this.#report(`got ${event} twice without a gap between`);
    const known = this.#versions.get(widget) ?? 0;
    if (version <= known) this.#report(`got version ${version} of widget ${widget} after ${known}`);
    this.#versions.set(widget, version);
    this.#sinceGap.add(event);
    this.#seen.add(event);
    this.#keep(position);
  }

  onGap(position: string): void {
    this.#lastGapAtStep = this.#now();
    this.#gaps += 1;
    this.#versions = new Map();
    this.#sinceGap = new Set();
    this.#keep(position);
  }

  onClosed(): void {
    this.#pod = null;
  }

  /**
   * At the end: each event since its first connection was delivered, or a gap was announced after it. If the log lost
   * nothing, no gap was announced: a service that always announces one keeps no promise.
   */
  check(appended: readonly AppendedEvent[], hasLosses: boolean): string[] {
    if (!hasLosses && this.#gaps > 0) this.#report('got a gap, and nothing was lost');
    const opened = this.#openedAtStep ?? Number.POSITIVE_INFINITY;
    const missing = appended.find(({ widget, version, atStep }) => {
      const isDue = atStep > opened && atStep > this.#lastGapAtStep;
      return isDue && !this.#seen.has(`${widget} v${version}`);
    });
    if (missing === undefined) return this.violations;
    return [
      ...this.violations,
      `${this.#name} misses ${missing.widget} v${missing.version} of list ${missing.list}, and no gap announced it`,
    ];
  }

  #keep(position: string): void {
    this.#position = position;
    if (position.length > maxPositionLength) this.#report(`got a position of ${position.length} characters`);
  }

  #report(text: string): void {
    this.violations.push(`${this.#name} ${text}`);
  }
}
