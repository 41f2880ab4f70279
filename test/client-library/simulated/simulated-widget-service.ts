import type { Widget } from '@widget-service/client/client.ts';
import type { components } from '@widget-service/client/interface.ts';
import type { WidgetPageQuery } from '@widget-service/client/requests/list-pages.ts';
import type { RawMessage } from '@widget-service/client/stream/stream-event.ts';
import type { Batch, Connection, OpenOutcome, Transport } from '@widget-service/client/stream/transport.ts';

type WidgetPage = components['schemas']['PagedResultWidget'];

interface LogEntry {
  readonly seq: number;
  readonly message: RawMessage;
}

/** A request that waits for its response. Only `SimulatedWidgetService.respond` answers it. */
interface PendingRequest {
  /** False while the response has nothing to say: a read at the end of the log. */
  isDue(): boolean;
  succeed(): void;
  fail(): void;
}

/**
 * A service in memory, as a client sees it: a list of widgets and a stream of their events. Every response waits until
 * the test asks for it, so a test can bring them into any order, and let each of them fail.
 *
 * Its clock moves only every few creates, so many widgets have the same `createdAt`.
 */
export class SimulatedWidgetService {
  readonly #widgets: Widget[] = [];
  #log: LogEntry[] = [];
  #epoch = 1;
  #lastSeq = 0;
  #pending: PendingRequest[] = [];
  #creates = 0;
  readonly #createsPerTick: number;
  readonly #readsRowsAtOnce: boolean;

  /**
   * @param options.readsRowsAtOnce Whether a page shows the widgets as they were when it was requested, or as they are
   *   when the response arrives.
   */
  constructor(options: { readonly createsPerTick: number; readonly readsRowsAtOnce: boolean }) {
    this.#createsPerTick = options.createsPerTick;
    this.#readsRowsAtOnce = options.readsRowsAtOnce;
  }

  /** The end of the event log. */
  get position(): string {
    return `${this.#epoch}.${this.#lastSeq}`;
  }

  /** The widgets as a list without a filter returns them. */
  list(): Widget[] {
    return this.#widgets.toSorted(compareNewestFirst);
  }

  create(): void {
    this.#insert(this.#nextCreatedAt());
  }

  /** Creates a widget whose request took long: its `createdAt` is older than that of others that are already listed. */
  createLate(ticksAgo: number): void {
    this.#insert(formatTime(Math.max(0, Math.floor(this.#creates / this.#createsPerTick) - ticksAgo)));
  }

  /** Applies a hook to one of the widgets. */
  postHook(choice: number, kind: 'updated' | 'retired'): void {
    const index = this.#widgets.length === 0 ? -1 : choice % this.#widgets.length;
    const widget = this.#widgets[index];
    if (widget === undefined) return;
    const isRetired = kind === 'retired' || widget.state === 'retired';
    const changed: Widget = { ...widget, version: widget.version + 1, state: isRetired ? 'retired' : 'active' };
    this.#widgets[index] = changed;
    this.#append(`widget.${kind}`, changed);
  }

  /** The event log starts again, without its events. */
  wipeLog(): void {
    this.#log = [];
    this.#epoch += 1;
  }

  /** The event log drops its oldest events. */
  trimLog(keep: number): void {
    this.#log = this.#log.slice(Math.max(0, this.#log.length - keep));
  }

  readonly readPage = (query: WidgetPageQuery) =>
    new Promise<WidgetPage>((resolve, reject) => {
      const rows = this.#readsRowsAtOnce ? this.#page(query) : null;
      this.#pending.push({
        isDue: () => true,
        succeed: () => resolve(rows ?? this.#page(query)),
        fail: () => reject(new TypeError('fetch failed')),
      });
    });

  readonly transport: Transport = {
    open: (url, signal) =>
      new Promise<OpenOutcome>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        this.#pending.push({
          isDue: () => true,
          succeed: () => resolve({ status: 'open', connection: this.#connect(new URL(url), signal) }),
          fail: () => resolve({ status: 'failed', cause: new TypeError('fetch failed'), retryAfterMs: 0 }),
        });
      }),
  };

  /** Answers one of the requests that wait. Returns false if none is due. */
  respond(choice: number, outcome: 'succeed' | 'fail'): boolean {
    const due = this.#pending.filter((request) => request.isDue());
    const chosen = due[choice % Math.max(1, due.length)];
    if (chosen === undefined) return false;
    this.#pending = this.#pending.filter((request) => request !== chosen);
    chosen[outcome]();
    return true;
  }

  #nextCreatedAt(): string {
    this.#creates += 1;
    return formatTime(Math.floor(this.#creates / this.#createsPerTick));
  }

  #insert(createdAt: string): void {
    const number = this.#widgets.length + 1;
    const widget: Widget = {
      id: `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      name: `widget ${number}`,
      state: 'active',
      labels: [],
      owner: { userId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', email: 'mo@example.com', notify: false },
      createdAt,
      updatedAt: createdAt,
      retiredAt: null,
      lastEventAt: null,
      version: 1,
    };
    this.#widgets.push(widget);
    this.#append('widget.created', widget);
  }

  #append(name: string, widget: Widget): void {
    this.#lastSeq += 1;
    const owner = widget.owner === null ? null : { userId: widget.owner.userId, notify: widget.owner.notify };
    const data = { id: `event ${this.#lastSeq}`, type: name, data: { widget: { ...widget, owner } } };
    const id = `${this.#epoch}.${this.#lastSeq}`;
    this.#log.push({ seq: this.#lastSeq, message: { name, id, data: JSON.stringify(data) } });
  }

  #page({ page, pageSize, state, asOf }: WidgetPageQuery): WidgetPage {
    const newestFirst = this.list();
    const upTo = asOf ?? newestFirst[0]?.createdAt ?? formatTime(0);
    const rows = newestFirst.filter(
      (widget) => widget.createdAt <= upTo && (state === undefined || widget.state === state),
    );
    const items = rows.slice((page - 1) * pageSize, page * pageSize);
    return {
      items,
      page,
      pageSize,
      totalItems: rows.length,
      totalPages: Math.ceil(rows.length / pageSize),
      hasNext: rows.length > page * pageSize,
      asOf: upTo,
      streamCursor: this.position,
    };
  }

  #connect(url: URL, signal: AbortSignal): Connection {
    const requested = url.searchParams.get('lastEventId') ?? this.position;
    let [epoch, seq] = requested.split('.').map(Number) as [number, number];
    const greeting: RawMessage[] = [];
    const oldest = this.#log[0]?.seq ?? this.#lastSeq + 1;
    const reason = epoch !== this.#epoch ? 'epoch-changed' : seq < oldest - 1 ? 'trimmed' : null;
    if (reason !== null) {
      epoch = this.#epoch;
      seq = oldest - 1;
      const gap = { requested, resumedFrom: `${epoch}.${seq}`, reason };
      greeting.push({ name: 'stream.gap', id: gap.resumedFrom, data: JSON.stringify(gap) });
    }
    const open = { subscriptionId: null, cursor: `${epoch}.${seq}`, resumed: reason === null, heartbeatSeconds: 15 };
    greeting.push({ name: 'stream.open', id: open.cursor, data: JSON.stringify(open) });
    return this.#readFrom({ epoch, seq }, greeting, signal);
  }

  #readFrom(at: { epoch: number; seq: number }, greeting: RawMessage[], signal: AbortSignal): Connection {
    const next = () => this.#log.filter(({ seq }) => seq > at.seq).slice(0, 3);
    // The real service closes the stream if its log does not continue where the stream is.
    const isLost = () => at.epoch !== this.#epoch || at.seq < (this.#log[0]?.seq ?? this.#lastSeq + 1) - 1;
    const read = (): Batch | null => {
      if (greeting.length > 0) return { messages: greeting.splice(0), retryMs: null };
      if (isLost()) return null;
      const entries = next();
      at.seq = entries.at(-1)?.seq ?? at.seq;
      return { messages: entries.map(({ message }) => message), retryMs: null };
    };
    return {
      // This service sends none.
      hidesHeartbeats: true,
      read: () =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          this.#pending.push({
            isDue: () => greeting.length > 0 || isLost() || next().length > 0,
            succeed: () => resolve(read()),
            fail: () => reject(new TypeError('terminated')),
          });
        }),
      close: () => undefined,
    };
  }
}

function compareNewestFirst(one: Widget, other: Widget): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

function formatTime(tick: number): string {
  return new Date(Date.UTC(2026, 0, 1) + tick).toISOString();
}
