import { UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { IdempotencyRecord } from '@widget-service/shared/domain/idempotency.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';

/** One widget with all that changes together with it. */
export interface WidgetDocument {
  widget: Widget;
  fence: number;
  readonly idempotency: IdempotencyRecord | null;
  /** Oldest first. */
  outbox: readonly OutboxEntry[];
}

/** Where a payload is written. */
export type PayloadPlace = 'outbox' | 'ledger';

/**
 * What stands for MongoDB: durable, and each document changes as one. What is in it is never changed in place, so that
 * what was read stays as it was.
 */
export class Database {
  readonly widgets = new Map<string, WidgetDocument>();
  /** The widget of each idempotency key. */
  readonly byKey = new Map<string, WidgetDocument>();
  readonly ledger = new Map<string, LedgerRow>();
  readonly quarantine = new Map<string, string>();
  readonly register: { run: number; lastPosition: ComparablePosition | null } = { run: 0, lastPosition: null };
  /** Told of every entry that is written to an outbox, and so of every effect, as it takes place; a creation has no run. */
  onEffect: (run: number | null, document: WidgetDocument, entries: readonly OutboxEntry[]) => void = () => undefined;
  /** Told of every outbox that a run takes something out of. */
  onPull: (run: number, document: WidgetDocument) => void = () => undefined;
  readonly #refused: Record<PayloadPlace, string | null> = { outbox: null, ledger: null };

  /** From now on refuses, for good, whatever has `word` in a payload; null lifts it. */
  refusePayloads(place: PayloadPlace, word: string | null): void {
    this.#refused[place] = word;
  }

  accepts(place: PayloadPlace, payload: string | null): boolean {
    const word = this.#refused[place];
    return word === null || payload === null || !payload.includes(word);
  }

  checkAccepted(place: PayloadPlace, payload: string | null): void {
    if (!this.accepts(place, payload)) throw new UnstorableError('database: the payload is refused');
  }

  outboxes(): WidgetDocument[] {
    return [...this.widgets.values()].filter(({ outbox }) => outbox.length > 0);
  }
}

/** What a call made for a waiting client may take, and what one step of a run may take. */
export const requestDeadlineMs = 2_000;
export const runDeadlineMs = 5_000;
