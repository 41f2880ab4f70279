import type { StatementSync } from 'node:sqlite';
import { type OnWarning, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { ListedRow, RowRange } from '@widget-service/shared/domain/page.ts';
import {
  type DeadReason,
  type DeliveryEffect,
  type DeliveryFilter,
  type DeliveryLedger,
  type DeliveryState,
  type DeliverySummary,
  type DiscardOutcome,
  isDuplicate,
  type LedgerRow,
  type PublishedDelivery,
  type ReceptionRange,
  type RecordedDelivery,
  type RegisterOutcome,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import type { Database } from './database.ts';
import { type DeliveryRow, ledgerRows, payloadRows, type SummaryRow, summaryRows } from './sqlite-delivery-rows.ts';

/** The delivery ledger in SQLite: one row per delivery. */
export class SqliteDeliveryLedger implements DeliveryLedger {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #rows: RowReader<DeliveryRow, LedgerRow>;
  readonly #payloads: RowReader<DeliveryRow, ReturnType<typeof payloadRows.convert>>;
  readonly #summaries: RowReader<SummaryRow, DeliverySummary>;

  constructor(db: Database, onWarning?: OnWarning) {
    this.#db = db;
    this.#statements = prepareStatements(db);
    this.#rows = new RowReader(ledgerRows, onWarning);
    this.#payloads = new RowReader(payloadRows, onWarning);
    this.#summaries = new RowReader(summaryRows, onWarning);
  }

  async register(deliveries: readonly Delivery[]): Promise<RegisterOutcome> {
    const { results, unstorable } = await this.#db.writeStorable(deliveries, (part) => this.#register(part));
    return { duplicates: results, unstorable: unstorable.map(({ item, cause }) => ({ id: item.eventId, cause })) };
  }

  markPublished(deliveries: readonly PublishedDelivery[], publishedAt: Date): Promise<void> {
    const mark = () => {
      const at = publishedAt.getTime();
      for (const { eventId, position, effect } of deliveries) {
        const { epoch = null, ms = null, seq = null } = position ?? {};
        this.#statements.markPublished.run(at, epoch, ms, seq, ...toEffectValues(effect), eventId);
      }
    };
    return this.#db.write(mark, { isSynced: false });
  }

  markDead(delivery: RecordedDelivery, reason: DeadReason): Promise<void> {
    return this.#db.write(() => {
      this.#statements.markDead.run(...toColumnValues(delivery), reason);
    });
  }

  discard(integrationId: string, eventId: string, discardedAt: Date): Promise<DiscardOutcome> {
    const { discard, selectStateOf } = this.#statements;
    return this.#db.write(() => {
      if (discard.run(discardedAt.getTime(), eventId, integrationId).changes === 1) return 'discarded';
      const row = selectStateOf.get(eventId, integrationId) as Pick<DeliveryRow, 'state'> | undefined;
      if (row === undefined) return 'unknown';
      return row.state === 'discarded' ? 'discarded-before' : 'not-dead';
    });
  }

  get(eventId: string): Promise<LedgerRow | null> {
    return this.#db.read(() => this.#rows.readIfAny(this.#statements.select.get(eventId) as DeliveryRow | undefined));
  }

  getPayloads(eventIds: readonly string[], atMostBytes: number): Promise<ReadonlyMap<string, string>> {
    const { selectPayloads } = this.#statements;
    return this.#db.read(() => {
      const rows = selectPayloads.all(JSON.stringify(eventIds), atMostBytes) as unknown as DeliveryRow[];
      const readable = this.#payloads.readList(rows).flatMap((row) => row ?? []);
      return new Map(readable.map(({ eventId, payload }) => [eventId, payload]));
    });
  }

  list(filter: DeliveryFilter, { offset, limit }: RowRange): Promise<ListedRow<DeliverySummary>[]> {
    return this.#db.read(() => {
      const { listing, values } = this.#selectListing(filter);
      return this.#summaries.readList(listing.select.all(...values, limit, offset) as unknown as SummaryRow[]);
    });
  }

  count(filter: DeliveryFilter, atMost: number): Promise<number> {
    return this.#db.read(() => {
      const { listing, values } = this.#selectListing(filter);
      return Number(listing.count.get(...values, atMost)?.n);
    });
  }

  countDead(atMost: number): Promise<ReadonlyMap<string, number>> {
    return this.#db.read(() => {
      const rows = this.#statements.countDead.all(atMost) as unknown as { integration_id: string; n: number }[];
      return new Map(rows.map(({ integration_id, n }) => [integration_id, Number(n)]));
    });
  }

  /** Deletes the rows that were published or discarded before `before`. */
  async deleteDoneBefore(before: Date): Promise<void> {
    await this.#db.deleteInBatches(this.#statements.deletePublished, before.getTime());
    await this.#db.deleteInBatches(this.#statements.deleteDiscarded, before.getTime());
  }

  /** Returns the ids of the duplicates. */
  #register(deliveries: readonly Delivery[]): string[] {
    const { insertReceived, selectKnown, countDuplicate, countAttempt } = this.#statements;
    const duplicates: string[] = [];
    for (const delivery of deliveries) {
      if (insertReceived.run(...toColumnValues(delivery)).changes === 1) continue;
      const row = selectKnown.get(delivery.eventId) as Pick<DeliveryRow, 'state' | 'widget_id'>;
      if (isDuplicate(delivery, { state: row.state, widgetId: row.widget_id })) {
        countDuplicate.run(delivery.eventId);
        duplicates.push(delivery.eventId);
      } else {
        countAttempt.run(delivery.eventId);
      }
    }
    return duplicates;
  }

  /** Returns the statements for a filter, and the values of their condition. */
  #selectListing(filter: DeliveryFilter): { readonly listing: Listing; readonly values: (string | number)[] } {
    const { ofWidget, ofAll, ofIntegration } = this.#statements.listings;
    const range = toRangeValues(filter);
    if ('widgetId' in filter) return { listing: ofWidget, values: [filter.widgetId, ...range] };
    const { integrationId, state } = filter;
    if (integrationId === null) return { listing: ofAll[state ?? 'any'], values: range };
    return { listing: ofIntegration[state ?? 'any'], values: [integrationId, ...range] };
  }
}

function prepareStatements(db: Database) {
  return {
    insertReceived: db.prepare(
      `${insertDelivery} VALUES (?, ?, ?, ?, ?, ?, ?, 'received', 1, 0, NULL) ON CONFLICT (event_id) DO NOTHING`,
    ),
    selectKnown: db.prepare('SELECT state, widget_id FROM deliveries WHERE event_id = ?'),
    countDuplicate: db.prepare('UPDATE deliveries SET duplicates = duplicates + 1 WHERE event_id = ?'),
    countAttempt: db.prepare(
      "UPDATE deliveries SET state = 'received', reason = NULL, attempts = attempts + 1 WHERE event_id = ?",
    ),
    markPublished: db.prepare(
      "UPDATE deliveries SET state = 'published', reason = NULL, discarded_at = NULL, published_at = ?, position_epoch = ?, " +
        'position_ms = ?, position_seq = ?, effect_version = ?, effect_state = ?, effect_state_changed = ?, ' +
        "effect_late = ? WHERE event_id = ? AND state <> 'published'",
    ),
    markDead: db.prepare(
      `${insertDelivery} VALUES (?, ?, ?, ?, ?, ?, ?, 'dead', 0, 0, ?) ON CONFLICT (event_id) DO UPDATE ` +
        "SET state = 'dead', reason = excluded.reason WHERE state NOT IN ('published', 'discarded')",
    ),
    select: db.prepare('SELECT * FROM deliveries WHERE event_id = ?'),
    selectPayloads: db.prepare(
      'SELECT event_id, payload FROM deliveries WHERE event_id IN (SELECT value FROM json_each(?)) ' +
        'AND length(CAST(payload AS BLOB)) <= ?',
    ),
    discard: db.prepare(
      "UPDATE deliveries SET state = 'discarded', payload = NULL, discarded_at = ? " +
        "WHERE event_id = ? AND integration_id = ? AND state = 'dead'",
    ),
    selectStateOf: db.prepare('SELECT state FROM deliveries WHERE event_id = ? AND integration_id = ?'),
    deletePublished: prepareDelete(db, 'published_at'),
    deleteDiscarded: prepareDelete(db, 'discarded_at'),
    // The index has every column that this reads.
    countDead: db.prepare(
      'SELECT integration_id, count(*) AS n FROM (SELECT integration_id FROM deliveries INDEXED BY deliveries_unpublished ' +
        "WHERE state = 'dead' AND state <> 'published' LIMIT ?) GROUP BY integration_id",
    ),
    listings: {
      ofIntegration: prepareListings(db, `integration_id = ? AND ${inTimeRange}`),
      ofAll: prepareListings(db, inTimeRange),
      ofWidget: prepareListing(db, `widget_id = ? AND ${inTimeRange}`),
    },
  };
}

interface Listing {
  readonly select: StatementSync;
  readonly count: StatementSync;
}

const inTimeRange = 'received_at >= ? AND (received_at, event_id) < (?, ?)';

/** In the order of the parameters of `inTimeRange`. */
function toRangeValues({ receivedFrom, receivedBefore, listedAfter }: ReceptionRange): (string | number)[] {
  const fromMs = receivedFrom?.getTime() ?? Number.MIN_SAFE_INTEGER;
  const beforeMs = receivedBefore?.getTime() ?? Number.MAX_SAFE_INTEGER;
  const afterMs = listedAfter?.receivedAt.getTime() ?? Number.MAX_SAFE_INTEGER;
  // No event id is less than the empty text, so with it the time alone counts.
  return afterMs < beforeMs ? [fromMs, afterMs, listedAfter?.eventId ?? ''] : [fromMs, beforeMs, ''];
}

/** Prepares the statements for each state, and for any. */
function prepareListings(db: Database, condition: string): Readonly<Record<DeliveryState | 'any', Listing>> {
  // The query repeats the condition of the partial index: otherwise SQLite does not use that index.
  const ofState = (state: Exclude<DeliveryState, 'published'>) =>
    prepareListing(db, `${condition} AND state = '${state}' AND state <> 'published'`);
  return {
    any: prepareListing(db, condition),
    published: prepareListing(db, `${condition} AND state = 'published'`),
    received: ofState('received'),
    dead: ofState('dead'),
    discarded: ofState('discarded'),
  };
}

/** `condition` is SQL. Its parameters come first when the statements run. */
function prepareListing(db: Database, condition: string): Listing {
  const rows = `FROM deliveries WHERE ${condition}`;
  return {
    select: db.prepare(`SELECT ${summaryColumns} ${rows} ORDER BY received_at DESC, event_id DESC LIMIT ? OFFSET ?`),
    count: db.prepare(`SELECT count(*) AS n FROM (SELECT 1 ${rows} LIMIT ?)`),
  };
}

function prepareDelete(db: Database, column: 'published_at' | 'discarded_at'): StatementSync {
  return db.prepare(`DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE ${column} < ? LIMIT ?)`);
}

/** All columns except the payload: it can be larger than all others together. */
const summaryColumns =
  'event_id, integration_id, kind, occurred_at, widget_id, received_at, state, attempts, duplicates, reason, ' +
  'published_at, position_epoch, position_ms, position_seq, effect_version, effect_state, effect_state_changed, ' +
  'effect_late';

/** In the order of the columns of `insertDelivery`. */
function toColumnValues(delivery: RecordedDelivery) {
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

const insertDelivery =
  'INSERT INTO deliveries (event_id, integration_id, kind, occurred_at, widget_id, received_at, payload, ' +
  'state, attempts, duplicates, reason) ';

/** In the order of the columns of `#markPublished`. */
function toEffectValues(effect: DeliveryEffect | null) {
  if (effect === null) return [null, null, null, null];
  return [effect.version, effect.state, Number(effect.stateChanged), Number(effect.late)];
}
