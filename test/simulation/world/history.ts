import type { HookKind } from '@widget-service/shared/domain/hook-event.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { MemoryState } from '../stores/memory-server.ts';
import { itemsOf } from './queued-events.ts';

/** One answer 202. */
export interface AcceptedHook {
  readonly eventId: string;
  readonly widgetId: string | null;
  readonly hookKind: HookKind;
  readonly isPoison: boolean;
}

/** One answer 201. */
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
  /** Of the widget; null where no known one is concerned. */
  readonly version: number | null;
}

/** One stream, from its opening to its end, as its client saw it. */
export interface StreamRecord {
  /** What the client asked to resume after. */
  readonly requested: string | null;
  readonly openedAtMs: number;
  gap: { readonly reason: string; readonly atMs: number } | null;
  /** The position that the stream began with, and when the client was told it. */
  cursor: string | null;
  begunAtMs: number;
  readonly events: ReceivedEvent[];
}

export interface ClientRecord {
  readonly isFiltered: boolean;
  readonly streams: StreamRecord[];
}

/** All that checkers look at: what clients were told, and what took place in the stores. */
export class History {
  readonly accepted: AcceptedHook[] = [];
  readonly created: CreatedWidget[] = [];
  readonly clients: ClientRecord[] = [];
  readonly effects: { readonly widgetId: string; readonly entry: OutboxEntry }[] = [];
  /** Everything ever appended, less what the server lost; retention takes nothing out of it. */
  log: LogRecord[] = [];
  /** Events that were in the log and are lost, and when. */
  readonly lostEvents: { readonly record: LogRecord; readonly atMs: number; readonly appendedAtMs: number }[] = [];
  /** Deliveries that were queued and are lost. */
  readonly lostHooks = new Set<string>();
  /** Per epoch the number of the newest event that retention has dropped. */
  readonly trimmedThrough = new Map<string, number>();
  readonly epochs = new Set<string>();
  lossCount = 0;
  /** What was not as it should be while it took place, each once. */
  readonly missteps = new Set<string>();
  readonly #appendedAtMs = new WeakMap<LogRecord, number>();

  noteEffect(widgetId: string, entries: readonly OutboxEntry[]): void {
    for (const entry of entries) this.effects.push({ widgetId, entry });
  }

  noteAppend(records: readonly LogRecord[], atMs: number): void {
    for (const record of records) {
      this.log.push(record);
      this.epochs.add(record.epoch);
      this.#appendedAtMs.set(record, atMs);
    }
  }

  appendedAtMs(record: LogRecord): number {
    return this.#appendedAtMs.get(record) ?? 0;
  }

  noteTrim(records: readonly LogRecord[]): void {
    for (const { epoch, seq } of records) {
      this.trimmedThrough.set(epoch, Math.max(seq, this.trimmedThrough.get(epoch) ?? 0));
    }
  }

  /** The server comes back as `after`, which knows nothing of what came since `copiedLog`. */
  noteLoss(before: MemoryState, after: MemoryState, logLengthOfCopy: number, atMs: number): void {
    this.lossCount += 1;
    for (const record of this.log.slice(logLengthOfCopy)) {
      this.lostEvents.push({ record, atMs, appendedAtMs: this.appendedAtMs(record) });
    }
    this.log = this.log.slice(0, logLengthOfCopy);
    const kept = new Set(itemsOf(after.queue));
    for (const eventId of itemsOf(before.queue)) if (!kept.has(eventId)) this.lostHooks.add(eventId);
  }
}
