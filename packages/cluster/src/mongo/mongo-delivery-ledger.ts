import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import {
  type DeadReason,
  type DeliveryFilter,
  type DeliveryLedger,
  type DeliverySummary,
  isDuplicate,
  type LedgerRow,
  type RecordedDelivery,
  type RegisterOutcome,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import type { RowRange } from '@widget-service/shared/ports/grant-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import { type AnyBulkWriteOperation, type Collection, type Db, type Filter, UUID } from 'mongodb';
import { toBsonUuid } from './bson-uuid.ts';
import {
  type DeliveryDocument,
  deliveryMembers,
  toLedgerRow,
  toListedDelivery,
  toReceivedDocument,
} from './delivery-document.ts';
import { collectionNames, deliveryIndexes } from './indexes.ts';
import { isDuplicateKey, runDeadlineMs, runPortCall } from './translate-error.ts';
import { writeStorable } from './write-storable.ts';

type KnownRow = Pick<DeliveryDocument, '_id' | 'state' | 'widgetId' | 'attempts'>;

export class MongoDeliveryLedger implements DeliveryLedger {
  readonly #deliveries: Collection<DeliveryDocument>;
  readonly #retentionMs: number;

  /** `retentionMs`: how long a row is kept after its publication. */
  constructor(db: Db, retentionMs: number) {
    this.#deliveries = db.collection<DeliveryDocument>(collectionNames.deliveries);
    this.#retentionMs = retentionMs;
  }

  register(deliveries: readonly Delivery[]): Promise<RegisterOutcome> {
    return runPortCall('take deliveries', () => this.#take(deliveries), runDeadlineMs);
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
    return runPortCall(
      'mark deliveries published',
      async () => {
        if (rows.length > 0) await this.#deliveries.bulkWrite(operations(), { ordered: false });
      },
      runDeadlineMs,
    );
  }

  markDead(delivery: RecordedDelivery, reason: DeadReason): Promise<void> {
    return runPortCall(
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
    return runPortCall('get a delivery', async () => {
      const _id = toBsonUuid(eventId);
      if (_id === null) return null;
      const document = await this.#deliveries.findOne({ _id }, { maxTimeMS: requestDeadlineMs });
      return document === null ? null : toLedgerRow(document);
    });
  }

  list(filter: DeliveryFilter, { offset, limit }: RowRange): Promise<DeliverySummary[]> {
    return runPortCall('list deliveries', async () => {
      const documents = await this.#deliveries
        .find(toQuery(filter), { projection: { payload: 0 }, hint: indexFor(filter), maxTimeMS: requestDeadlineMs })
        .sort({ receivedAt: -1, _id: -1 })
        .skip(offset)
        .limit(limit)
        .batchSize(limit)
        .toArray();
      return documents.map(toListedDelivery);
    });
  }

  count(filter: DeliveryFilter, atMost: number): Promise<number> {
    return runPortCall('count deliveries', () => {
      const options = { limit: atMost, hint: indexFor(filter), maxTimeMS: requestDeadlineMs };
      return this.#deliveries.countDocuments(toQuery(filter), options);
    });
  }

  /**
   * Inserts all, then looks at the rows that were there already. A row that the majority does not have yet, or that
   * the server removed for its age meanwhile, is not seen: its delivery is tried again.
   */
  async #take(deliveries: readonly Delivery[]): Promise<RegisterOutcome> {
    const duplicates: UUID[] = [];
    const taken: KnownRow[] = [];
    const unstorable: string[] = [];
    const end = performance.now() + runDeadlineMs;
    for (let pending = deliveries; ; await delay(20)) {
      const { known, refused } = await this.#insertMissing(pending);
      unstorable.push(...refused.map(({ eventId }) => eventId));
      const rows = await this.#read(known);
      pending = known.filter((delivery) => !rows.has(delivery.eventId));
      for (const delivery of known) {
        const row = rows.get(delivery.eventId);
        if (row === undefined) continue;
        if (isDuplicate(delivery, stateOf(row))) duplicates.push(row._id);
        else taken.push(row);
      }
      if (pending.length === 0) break;
      if (performance.now() > end) throw new UnavailableError('MongoDB, take deliveries: rows could not be read back');
    }
    await this.#count(duplicates, taken);
    return { duplicates: duplicates.map((_id) => _id.toHexString()), unstorable };
  }

  /** Returns the deliveries that have a row already, and those that cannot have one. */
  async #insertMissing(deliveries: readonly Delivery[]): Promise<{ known: Delivery[]; refused: Delivery[] }> {
    if (deliveries.length === 0) return { known: [], refused: [] };
    const { unstorable } = await writeStorable(deliveries, async (some) => {
      await this.#deliveries.insertMany(some.map(toReceivedDocument), { ordered: false });
      return {};
    });
    const pick = (isDuplicate: boolean) =>
      unstorable.flatMap((each) => (each.isDuplicate === isDuplicate ? (deliveries[each.index] ?? []) : []));
    return { known: pick(true), refused: pick(false) };
  }

  async #read(deliveries: readonly Delivery[]): Promise<Map<string, KnownRow>> {
    if (deliveries.length === 0) return new Map();
    const ids = deliveries.map((delivery) => new UUID(delivery.eventId));
    const rows = await this.#deliveries
      .find<KnownRow>(
        { _id: { $in: ids } },
        { projection: { state: 1, widgetId: 1, attempts: 1 }, maxTimeMS: runDeadlineMs, batchSize: ids.length + 1 },
      )
      .toArray();
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  /**
   * Others may have overtaken this run since it looked. What they made of a delivery stands: whoever gave it up is done
   * with its job, and were it `received` again, nobody would run it.
   */
  async #count(duplicates: UUID[], taken: readonly KnownRow[]): Promise<void> {
    const received = taken.filter(({ state }) => state === 'received').map(({ _id }) => _id);
    const redriven = taken.filter(({ state }) => state === 'dead');
    const operations: AnyBulkWriteOperation<DeliveryDocument>[] = redriven.map(({ _id, state, attempts }) => ({
      updateOne: {
        filter: { _id, state, attempts },
        update: { $set: { state: 'received', reason: null }, $inc: { attempts: 1 } },
      },
    }));
    if (received.length > 0) {
      const filter = { _id: { $in: received }, state: 'received' as const };
      operations.push({ updateMany: { filter, update: { $inc: { attempts: 1 } } } });
    }
    if (duplicates.length > 0) {
      operations.push({ updateMany: { filter: { _id: { $in: duplicates } }, update: { $inc: { duplicates: 1 } } } });
    }
    if (operations.length > 0) await this.#deliveries.bulkWrite(operations, { ordered: false });
  }
}

function toQuery({ integrationId, state }: DeliveryFilter): Filter<DeliveryDocument> {
  if (state === null) return { integrationId };
  // What is on its way has no expiry yet: that is how its index finds the few among the many.
  return { integrationId, state, ...(state === 'received' ? { expiresAt: null as never } : {}) };
}

/** Nearly all rows are published, and are found among all rows. */
function indexFor({ state }: DeliveryFilter): string {
  if (state === 'dead') return deliveryIndexes.deadByAge;
  return state === 'received' ? deliveryIndexes.byExpiry : deliveryIndexes.byAge;
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
