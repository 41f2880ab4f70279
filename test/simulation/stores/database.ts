import { UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { IdempotencyRecord } from '@widget-service/shared/domain/idempotent-create.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { QuarantinedText } from '@widget-service/shared/entities/quarantined-text.ts';
import type { LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';

/** One widget with everything that changes together with it. */
export interface WidgetDocument {
  widget: Widget;
  readonly idempotency: IdempotencyRecord | null;
  /** Oldest first. */
  outbox: readonly OutboxEntry[];
}

/** Where a payload is written. */
export type PayloadPlace = 'outbox' | 'ledger';

/**
 * Stands for MongoDB: durable, and each document changes atomically. Stored values are never changed in place, so a
 * value that was read stays the same.
 */
/** The error of the simulated database for an unstorable payload. */
export const rejection = 'database: the payload is unstorable';

export class Database {
  readonly widgets = new Map<string, WidgetDocument>();
  /** The widget of each idempotency key. */
  readonly byIdempotencyKey = new Map<string, WidgetDocument>();
  readonly ledger = new Map<string, LedgerRow>();
  /** When deliveries were discarded, by event id. */
  readonly discardedAt = new Map<string, Date>();
  readonly quarantine = new Map<string, QuarantinedText>();
  readonly runRegistry: { run: number; lastPosition: ComparablePosition | null } = { run: 0, lastPosition: null };
  /** Called after every write of entries to an outbox, and so for every effect and creation. */
  onEffect: (document: WidgetDocument, entries: readonly OutboxEntry[]) => void = () => undefined;
  readonly #unstorableTexts: Record<PayloadPlace, string | null> = { outbox: null, ledger: null };

  /** From now on, payloads that contain `text` are unstorable in this place. Null: none is. */
  rejectPayloads(place: PayloadPlace, text: string | null): void {
    this.#unstorableTexts[place] = text;
  }

  canStore(place: PayloadPlace, payload: string | null): boolean {
    const text = this.#unstorableTexts[place];
    return text === null || payload === null || !payload.includes(text);
  }

  assertStorable(place: PayloadPlace, payload: string | null): void {
    if (!this.canStore(place, payload)) throw new UnstorableError(rejection);
  }

  listOutboxes(): WidgetDocument[] {
    return [...this.widgets.values()].filter(({ outbox }) => outbox.length > 0);
  }
}

/** The deadline of a call for a waiting client, and the deadline of a call of a run. */
export const requestDeadlineMs = 2_000;
export const runDeadlineMs = 5_000;
