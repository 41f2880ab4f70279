import type { StatementSync } from 'node:sqlite';
import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { Delivery, HookKind } from '@widget-service/shared/domain/hook-event.ts';
import {
  type DeadReason,
  type DeliveryLedger,
  isRepetition,
  type LedgerRow,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import type { Database } from './database.ts';
import { dateOf } from './widget-row.ts';

interface DeliveryRow {
  readonly event_id: string;
  readonly integration_id: string;
  readonly kind: HookKind;
  readonly occurred_at: string;
  readonly widget_id: string | null;
  readonly received_at: number;
  readonly state: LedgerRow['state'];
  readonly attempts: number;
  readonly duplicates: number;
  readonly reason: DeadReason | null;
  readonly published_at: number | null;
  readonly position_epoch: string | null;
  readonly position_ms: number | null;
  readonly position_seq: number | null;
  readonly payload: string | null;
}

const insert =
  'INSERT INTO deliveries (event_id, integration_id, kind, occurred_at, widget_id, received_at, payload, ' +
  'state, attempts, duplicates, reason) ';

export class SqliteDeliveryLedger implements DeliveryLedger {
  readonly #db: Database;
  readonly #insertReceived: StatementSync;
  readonly #known: StatementSync;
  readonly #countDuplicate: StatementSync;
  readonly #countAttempt: StatementSync;
  readonly #markPublished: StatementSync;
  readonly #markDead: StatementSync;
  readonly #select: StatementSync;
  readonly #deletePublished: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insertReceived = db.prepare(
      `${insert} VALUES (?, ?, ?, ?, ?, ?, ?, 'received', 1, 0, NULL) ON CONFLICT (event_id) DO NOTHING`,
    );
    this.#known = db.prepare('SELECT state, widget_id FROM deliveries WHERE event_id = ?');
    this.#countDuplicate = db.prepare('UPDATE deliveries SET duplicates = duplicates + 1 WHERE event_id = ?');
    this.#countAttempt = db.prepare(
      "UPDATE deliveries SET state = 'received', reason = NULL, attempts = attempts + 1 WHERE event_id = ?",
    );
    this.#markPublished = db.prepare(
      "UPDATE deliveries SET state = 'published', reason = NULL, published_at = ?, position_epoch = ?, " +
        "position_ms = ?, position_seq = ? WHERE event_id = ? AND state <> 'published'",
    );
    this.#markDead = db.prepare(
      `${insert} VALUES (?, ?, ?, ?, ?, ?, ?, 'dead', 0, 0, ?) ON CONFLICT (event_id) DO UPDATE ` +
        "SET state = 'dead', reason = excluded.reason WHERE state <> 'published'",
    );
    this.#select = db.prepare('SELECT * FROM deliveries WHERE event_id = ?');
    this.#deletePublished = db.prepare(
      'DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE published_at < ? LIMIT ?)',
    );
  }

  take(deliveries: readonly Delivery[]): Promise<{ readonly duplicates: readonly string[] }> {
    return this.#db.write(() => {
      const duplicates: string[] = [];
      for (const delivery of deliveries) {
        if (this.#insertReceived.run(...valuesOf(delivery)).changes === 1) continue;
        const known = this.#known.get(delivery.eventId) as Pick<DeliveryRow, 'state' | 'widget_id'>;
        if (isRepetition(delivery, { state: known.state, widgetId: known.widget_id })) {
          this.#countDuplicate.run(delivery.eventId);
          duplicates.push(delivery.eventId);
        } else {
          this.#countAttempt.run(delivery.eventId);
        }
      }
      return { duplicates };
    });
  }

  markPublished(
    rows: readonly { readonly eventId: string; readonly position: LogPosition | null }[],
    publishedAt: Date,
  ): Promise<void> {
    return this.#db.write(() => {
      const at = publishedAt.getTime();
      for (const { eventId, position } of rows) {
        this.#markPublished.run(at, position?.epoch ?? null, position?.ms ?? null, position?.seq ?? null, eventId);
      }
    });
  }

  markDead(delivery: Delivery, reason: DeadReason): Promise<void> {
    return this.#db.write(() => {
      this.#markDead.run(...valuesOf(delivery), reason);
    });
  }

  get(eventId: string): Promise<LedgerRow | null> {
    return this.#db.read(() => {
      const row = this.#select.get(eventId) as DeliveryRow | undefined;
      return row === undefined ? null : toLedgerRow(row);
    });
  }

  /** Forgets what was published before `before`. */
  removePublished(before: Date): Promise<void> {
    return this.#db.deleteInSteps(this.#deletePublished, before.getTime());
  }
}

function valuesOf(delivery: Delivery) {
  return [
    delivery.eventId,
    delivery.integrationId,
    delivery.kind,
    delivery.occurredAt,
    delivery.widgetId,
    delivery.receivedAt.getTime(),
    delivery.payload,
  ];
}

function toLedgerRow(row: DeliveryRow): LedgerRow {
  const { position_epoch: epoch, position_ms: ms, position_seq: seq } = row;
  return {
    eventId: row.event_id,
    integrationId: row.integration_id,
    kind: row.kind,
    occurredAt: row.occurred_at,
    widgetId: row.widget_id,
    payload: row.payload,
    receivedAt: new Date(row.received_at),
    state: row.state,
    attempts: row.attempts,
    duplicates: row.duplicates,
    reason: row.reason,
    publishedAt: dateOf(row.published_at),
    position: epoch === null || ms === null || seq === null ? null : { epoch, ms, seq },
  };
}
