import { setTimeout as delay } from 'node:timers/promises';
import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import {
  type DeadReason,
  type DeliveryLedger,
  isRepetition,
  type LedgerRow,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { type Collection, type Db, MongoBulkWriteError, UUID } from 'mongodb';
import { bsonUuid } from './bson-uuid.ts';
import { type DeliveryDocument, deliveryMembers, toLedgerRow, toReceivedDocument } from './delivery-document.ts';
import { collectionNames } from './indexes.ts';
import { duplicateKeyCode, guarded, isDuplicateKey, requestDeadlineMs, runDeadlineMs } from './translate-error.ts';

type KnownRow = Pick<DeliveryDocument, '_id' | 'state' | 'widgetId'>;

export class MongoDeliveryLedger implements DeliveryLedger {
  readonly #deliveries: Collection<DeliveryDocument>;
  readonly #retentionMs: number;

  /** `retentionMs`: how long a row is kept after its publication. */
  constructor(db: Db, retentionMs: number) {
    this.#deliveries = db.collection<DeliveryDocument>(collectionNames.deliveries);
    this.#retentionMs = retentionMs;
  }

  take(deliveries: readonly Delivery[]): Promise<{ readonly duplicates: readonly string[] }> {
    return guarded('take deliveries', () => this.#take(deliveries), runDeadlineMs);
  }

  markPublished(
    rows: readonly { readonly eventId: string; readonly position: LogPosition | null }[],
    publishedAt: Date,
  ): Promise<void> {
    const expiresAt = new Date(publishedAt.getTime() + this.#retentionMs);
    const operations = () =>
      rows.map(({ eventId, position }) => ({
        updateOne: {
          filter: { _id: new UUID(eventId), state: { $ne: 'published' as const } },
          update: {
            $set: { state: 'published' as const, reason: null, publishedAt, position, expiresAt },
          },
        },
      }));
    return guarded(
      'mark deliveries published',
      async () => {
        if (rows.length > 0) await this.#deliveries.bulkWrite(operations(), { ordered: false });
      },
      runDeadlineMs,
    );
  }

  markDead(delivery: Delivery, reason: DeadReason): Promise<void> {
    return guarded(
      'mark a delivery dead',
      async () => {
        const write = () =>
          this.#deliveries.updateOne(
            { _id: new UUID(delivery.eventId), state: { $ne: 'published' } },
            {
              $set: { ...deliveryMembers(delivery), state: 'dead', reason },
              $setOnInsert: { attempts: 0, duplicates: 0, publishedAt: null, position: null },
            },
            { upsert: true },
          );
        // The row is there but did not match: it is published and stays, or another run inserted it just now.
        await ignoringDuplicateKey(write, () => ignoringDuplicateKey(write));
      },
      runDeadlineMs,
    );
  }

  get(eventId: string): Promise<LedgerRow | null> {
    return guarded('get a delivery', async () => {
      const _id = bsonUuid(eventId);
      if (_id === null) return null;
      const document = await this.#deliveries.findOne({ _id }, { maxTimeMS: requestDeadlineMs });
      return document === null ? null : toLedgerRow(document);
    });
  }

  /**
   * Inserts all, then looks at the rows that were there already. A row that the majority does not have yet, or that
   * the server removed for its age meanwhile, is not seen: its delivery is tried again.
   */
  async #take(deliveries: readonly Delivery[]): Promise<{ readonly duplicates: readonly string[] }> {
    const duplicates: UUID[] = [];
    const repeated: UUID[] = [];
    const end = performance.now() + runDeadlineMs;
    for (let pending = deliveries; ; await delay(20)) {
      const known = await this.#insertMissing(pending);
      const rows = await this.#read(known);
      pending = known.filter((delivery) => !rows.has(delivery.eventId));
      for (const delivery of known) {
        const row = rows.get(delivery.eventId);
        if (row !== undefined) (isRepetition(delivery, stateOf(row)) ? duplicates : repeated).push(row._id);
      }
      if (pending.length === 0) break;
      if (performance.now() > end) throw new UnavailableError('MongoDB, take deliveries: rows could not be read back');
    }
    await this.#count(duplicates, repeated);
    return { duplicates: duplicates.map((_id) => _id.toHexString()) };
  }

  /** Returns the deliveries that have a row already. */
  async #insertMissing(deliveries: readonly Delivery[]): Promise<Delivery[]> {
    if (deliveries.length === 0) return [];
    try {
      await this.#deliveries.insertMany(deliveries.map(toReceivedDocument), { ordered: false });
      return [];
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      const writeErrors = [error.writeErrors].flat();
      const isExpected = writeErrors.length > 0 && writeErrors.every((one) => one.code === duplicateKeyCode);
      // Without the majority's word the inserted rows may be rolled back.
      if (!isExpected || error.result.getWriteConcernError() !== undefined) throw error;
      const indexes = new Set(writeErrors.map((one) => one.index));
      return deliveries.filter((_, index) => indexes.has(index));
    }
  }

  async #read(deliveries: readonly Delivery[]): Promise<Map<string, KnownRow>> {
    if (deliveries.length === 0) return new Map();
    const ids = deliveries.map((delivery) => new UUID(delivery.eventId));
    const rows = await this.#deliveries
      .find<KnownRow>(
        { _id: { $in: ids } },
        { projection: { state: 1, widgetId: 1 }, maxTimeMS: runDeadlineMs, batchSize: ids.length + 1 },
      )
      .toArray();
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  async #count(duplicates: UUID[], repeated: UUID[]): Promise<void> {
    if (duplicates.length > 0) {
      await this.#deliveries.updateMany({ _id: { $in: duplicates } }, { $inc: { duplicates: 1 } });
    }
    if (repeated.length > 0) {
      await this.#deliveries.updateMany(
        { _id: { $in: repeated }, state: { $ne: 'published' } },
        { $set: { state: 'received', reason: null }, $inc: { attempts: 1 } },
      );
    }
  }
}

async function ignoringDuplicateKey(
  write: () => Promise<unknown>,
  otherwise: () => Promise<void> = async () => undefined,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await otherwise();
  }
}

function stateOf({ state, widgetId }: KnownRow) {
  return { state, widgetId: widgetId?.toHexString() ?? null };
}
