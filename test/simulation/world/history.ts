import { parseHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import type { HookKind } from '@widget-service/shared/domain/event-kind.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import type { MemoryState } from '../stores/memory-server.ts';

/** One hook that was answered 202. */
export interface AcceptedHook {
  readonly eventId: string;
  readonly widgetId: string | null;
  readonly hookKind: HookKind;
  readonly isPoison: boolean;
}

/** One create that was answered 201. */
export interface CreatedWidget {
  readonly key: string | null;
  readonly widgetId: string;
  readonly body: string;
}

export interface ReceivedEvent {
  readonly epoch: string;
  readonly ms: number;
  readonly seq: number;
  readonly eventId: string;
  readonly widgetId: string | null;
  /** The widget's version. Null if the event concerns no known widget. */
  readonly version: number | null;
}

/** One stream from its start to its end, as its client saw it. */
export interface StreamRecord {
  /** The position that the client resumed at. */
  readonly requested: string | null;
  readonly openedAtMs: number;
  gap: { readonly reason: string; readonly atMs: number } | null;
  /** The stream's first position, and when the client received it. */
  cursor: string | null;
  begunAtMs: number;
  readonly events: ReceivedEvent[];
}

export interface ClientRecord {
  readonly isFiltered: boolean;
  readonly streams: StreamRecord[];
}

/** Everything that checkers look at: what clients received, and what happened in the stores. */
export class History {
  readonly accepted: AcceptedHook[] = [];
  readonly created: CreatedWidget[] = [];
  readonly clients: ClientRecord[] = [];
  readonly effects: { readonly widgetId: string; readonly entry: OutboxEntry }[] = [];
  /** Every event ever appended, without those that the server lost. Trimmed events stay here. */
  log: LogRecord[] = [];
  /** Events that the log lost, and when. */
  readonly lostEvents: { readonly record: LogRecord; readonly atMs: number; readonly appendedAtMs: number }[] = [];
  /** Event ids of deliveries that the queue lost. */
  readonly lostHooks = new Set<string>();
  /** Per epoch, the number of the newest event that retention has dropped. */
  readonly trimmedThrough = new Map<string, number>();
  readonly epochs = new Set<string>();
  lossCount = 0;
  /** What the watches reported while it happened, without repetitions. */
  readonly stepViolations = new Set<string>();
  readonly #appendedAtMs = new WeakMap<LogRecord, number>();

  recordEffect(widgetId: string, entries: readonly OutboxEntry[]): void {
    for (const entry of entries) this.effects.push({ widgetId, entry });
  }

  recordAppend(records: readonly LogRecord[], atMs: number): void {
    for (const record of records) {
      this.log.push(record);
      this.epochs.add(record.epoch);
      this.#appendedAtMs.set(record, atMs);
    }
  }

  appendedAtMs(record: LogRecord): number {
    return this.#appendedAtMs.get(record) ?? 0;
  }

  recordTrim(records: readonly LogRecord[]): void {
    for (const { epoch, seq } of records) {
      this.trimmedThrough.set(epoch, Math.max(seq, this.trimmedThrough.get(epoch) ?? 0));
    }
  }

  /** The server is restored to `after`, which has only the first `logLengthOfCopy` events. */
  recordLoss(before: MemoryState, after: MemoryState, logLengthOfCopy: number, atMs: number): void {
    this.lossCount += 1;
    for (const record of this.log.slice(logLengthOfCopy)) {
      this.lostEvents.push({ record, atMs, appendedAtMs: this.appendedAtMs(record) });
    }
    this.log = this.log.slice(0, logLengthOfCopy);
    const kept = new Set(listQueuedEventIds(after.queue));
    for (const eventId of listQueuedEventIds(before.queue)) if (!kept.has(eventId)) this.lostHooks.add(eventId);
  }
}

/** Returns the event ids of all deliveries in the queue. */
function listQueuedEventIds({ jobs }: JobQueue): string[] {
  return [...jobs.values()].flatMap(({ text }) =>
    parseHookJob(text).items.flatMap((item) => (item.type === 'delivery' ? [item.delivery.eventId] : [])),
  );
}
