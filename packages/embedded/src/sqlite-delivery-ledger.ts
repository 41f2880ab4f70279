import type { StatementSync } from 'node:sqlite';
import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import {
  type DeadReason,
  type DeliveryFilter,
  type DeliveryLedger,
  type DeliveryState,
  isRepetition,
  type LedgerRow,
  type ListedDelivery,
  type RecordedDelivery,
  type TakeOutcome,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import type { Range } from '@widget-service/shared/ports/grant-store.ts';
import type { Database } from './database.ts';
import {
  type DeliveryRow,
  insertDelivery,
  type ListedDeliveryRow,
  listedColumns,
  toLedgerRow,
  toListedDelivery,
  valuesOf,
} from './delivery-row.ts';
import { writeWhatIsTaken } from './write-what-is-taken.ts';

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
  readonly #listings: Readonly<Record<DeliveryState | 'any', Listing>>;

  constructor(db: Database) {
    this.#db = db;
    this.#insertReceived = db.prepare(
      `${insertDelivery} VALUES (?, ?, ?, ?, ?, ?, ?, 'received', 1, 0, NULL) ON CONFLICT (event_id) DO NOTHING`,
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
      `${insertDelivery} VALUES (?, ?, ?, ?, ?, ?, ?, 'dead', 0, 0, ?) ON CONFLICT (event_id) DO UPDATE ` +
        "SET state = 'dead', reason = excluded.reason WHERE state <> 'published'",
    );
    this.#select = db.prepare('SELECT * FROM deliveries WHERE event_id = ?');
    this.#deletePublished = db.prepare(
      'DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE published_at < ? LIMIT ?)',
    );
    this.#listings = {
      any: prepareListing(db, ''),
      published: prepareListing(db, " AND state = 'published'"),
      // In the words of the index of unpublished rows: otherwise it is not used.
      received: prepareListing(db, " AND state = 'received' AND state <> 'published'"),
      dead: prepareListing(db, " AND state = 'dead' AND state <> 'published'"),
    };
  }

  async take(deliveries: readonly Delivery[]): Promise<TakeOutcome> {
    const { results, rejected } = await writeWhatIsTaken(this.#db, deliveries, (some) => this.#take(some));
    return { duplicates: results, rejected: rejected.map(({ eventId }) => eventId) };
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

  markDead(delivery: RecordedDelivery, reason: DeadReason): Promise<void> {
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

  list({ integrationId, state }: DeliveryFilter, { offset, limit }: Range): Promise<ListedDelivery[]> {
    return this.#db.read(() => {
      const rows = this.#listings[state ?? 'any'].select.all(integrationId, limit, offset);
      return (rows as unknown as ListedDeliveryRow[]).map(toListedDelivery);
    });
  }

  count({ integrationId, state }: DeliveryFilter, atMost: number): Promise<number> {
    return this.#db.read(() => Number(this.#listings[state ?? 'any'].count.get(integrationId, atMost)?.n));
  }

  /** Returns the ids of those to drop. */
  #take(deliveries: readonly Delivery[]): string[] {
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
    return duplicates;
  }

  /** Forgets what was published before `before`. */
  removePublished(before: Date): Promise<void> {
    return this.#db.deleteInSteps(this.#deletePublished, before.getTime());
  }
}

interface Listing {
  readonly select: StatementSync;
  readonly count: StatementSync;
}

/** `condition` is what the rows have in common besides their integration. */
function prepareListing(db: Database, condition: string): Listing {
  const rows = `FROM deliveries WHERE integration_id = ?${condition}`;
  return {
    select: db.prepare(`SELECT ${listedColumns} ${rows} ORDER BY received_at DESC, event_id DESC LIMIT ? OFFSET ?`),
    count: db.prepare(`SELECT count(*) AS n FROM (SELECT 1 ${rows} LIMIT ?)`),
  };
}
