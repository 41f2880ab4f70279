import { setTimeout as delay } from 'node:timers/promises';
import { RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { deliverySummaryShape, ledgerRowShape, payloadShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError, type UnstorableItem } from '@widget-service/shared/domain/errors.ts';
import type { ListedRow, RowRange } from '@widget-service/shared/domain/page.ts';
import {
  type DeadReason,
  type DeliveryFilter,
  type DeliveryLedger,
  type DeliveryState,
  type DeliverySummary,
  type DiscardOutcome,
  isDuplicate,
  type LedgerRow,
  type PublishedDelivery,
  type RecordedDelivery,
  type RegisterOutcome,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import { type AnyBulkWriteOperation, type Collection, type Db, UUID } from 'mongodb';
import type { OnWarning } from '../redis/redis-failover.ts';
import { toBsonUuid, toBsonUuids } from './bson-uuid.ts';
import {
  type DeliveryDocument,
  type PayloadDocument,
  toDeliverySummary,
  toLedgerRow,
  toPayload,
  toReceivedDocument,
  toReceivedMembers,
} from './delivery-document.ts';
import { selectIndex, toQuery } from './delivery-query.ts';
import { collectionNames, deliveryIndexes } from './indexes.ts';
import { type RunCallLimits, RunCalls } from './run-calls.ts';
import { isDuplicateKey, retryOnDuplicateKey, runPortCall, runRead, writeStorable } from './translate-error.ts';

type ExistingRow = Pick<DeliveryDocument, '_id' | 'state' | 'widgetId' | 'attempts'>;

/** The delivery ledger: one MongoDB document per delivery, with its event id as `_id`. */
export class MongoDeliveryLedger implements DeliveryLedger {
  readonly #deliveries: Collection<DeliveryDocument>;
  readonly #retentionMs: number;
  readonly #runCalls: RunCalls;
  readonly #rows: RowReader<DeliveryDocument, LedgerRow>;
  readonly #payloads: RowReader<PayloadDocument, ReturnType<typeof toPayload>>;
  readonly #summaries: RowReader<Omit<DeliveryDocument, 'payload'>, DeliverySummary>;

  /** `retentionMs`: how long to keep a row after it was published or discarded. */
  constructor(db: Db, retentionMs: number, runCalls = new RunCalls(), onWarning?: OnWarning) {
    const common = { of: collectionNames.deliveries, identify: ({ _id }: Pick<DeliveryDocument, '_id'>) => _id };
    this.#rows = new RowReader({ ...common, convert: toLedgerRow, shape: ledgerRowShape }, onWarning);
    this.#payloads = new RowReader({ ...common, convert: toPayload, shape: payloadShape }, onWarning);
    this.#summaries = new RowReader({ ...common, convert: toDeliverySummary, shape: deliverySummaryShape }, onWarning);
    this.#deliveries = db.collection<DeliveryDocument>(collectionNames.deliveries);
    this.#retentionMs = retentionMs;
    this.#runCalls = runCalls;
  }

  register(deliveries: readonly Delivery[]): Promise<RegisterOutcome> {
    return this.#runCalls.run('register deliveries', (limits) => this.#register(deliveries, limits));
  }

  markPublished(deliveries: readonly PublishedDelivery[], publishedAt: Date): Promise<void> {
    const expiresAt = new Date(publishedAt.getTime() + this.#retentionMs);
    const operations = () =>
      deliveries.map(({ eventId, position, effect }) => ({
        updateOne: {
          filter: { _id: new UUID(eventId), state: { $ne: 'published' as const } },
          update: {
            $set: { state: 'published' as const, reason: null, publishedAt, position, effect, expiresAt },
          },
        },
      }));
    return this.#runCalls.run('mark deliveries published', async ({ writeConcern }) => {
      if (deliveries.length > 0) await this.#deliveries.bulkWrite(operations(), { ordered: false, writeConcern });
    });
  }

  markDead(delivery: RecordedDelivery, reason: DeadReason): Promise<void> {
    return this.#runCalls.run('mark a delivery dead', async ({ writeConcern }) => {
      const write = () =>
        this.#deliveries.updateOne(
          { _id: new UUID(delivery.eventId), state: { $nin: ['published', 'discarded'] } },
          {
            $set: { ...toReceivedMembers(delivery), state: 'dead', reason },
            $setOnInsert: { attempts: 0, duplicates: 0, publishedAt: null, position: null },
          },
          { upsert: true, writeConcern },
        );
      // A duplicate key means that the row exists but did not match: it is published or discarded and stays, or
      // another run has just inserted it. In the last case the repeated write matches.
      await retryOnDuplicateKey(write).catch((error) => {
        if (!isDuplicateKey(error)) throw error;
      });
    });
  }

  discard(integrationId: string, eventId: string, discardedAt: Date): Promise<DiscardOutcome> {
    return runPortCall('discard a delivery', async () => {
      const _id = toBsonUuid(eventId);
      if (_id === null) return 'unknown';
      const discarded = { state: 'discarded' as const, payload: null };
      const expiresAt = new Date(discardedAt.getTime() + this.#retentionMs);
      // Every step is a write, because a read may miss what has just been written (see `#register`).
      const change = async (state: DeliveryState, $set: Partial<DeliveryDocument>) =>
        (await this.#deliveries.updateOne({ _id, integrationId, state }, { $set })).matchedCount === 1;
      if (await change('dead', { ...discarded, expiresAt })) return 'discarded';
      if (await change('discarded', discarded)) return 'discarded-before';
      const row = await this.#deliveries.findOne({ _id, integrationId }, { projection: { state: 1 } });
      return row === null ? 'unknown' : 'not-dead';
    });
  }

  get(eventId: string): Promise<LedgerRow | null> {
    return runRead('get a delivery', async () => {
      const _id = toBsonUuid(eventId);
      if (_id === null) return null;
      return this.#rows.readIfAny(await this.#deliveries.findOne({ _id }, { maxTimeMS: requestDeadlineMs }));
    });
  }

  getPayloads(eventIds: readonly string[], atMostBytes: number): Promise<ReadonlyMap<string, string>> {
    const isText = { $eq: [{ $type: '$payload' }, 'string'] };
    return runRead('get payloads', async () => {
      const documents = await this.#deliveries
        .find(
          {
            _id: { $in: toBsonUuids(eventIds) },
            // Does not load long payloads: a page of them could be megabytes.
            $expr: { $lte: [{ $strLenBytes: { $cond: [isText, '$payload', ''] } }, atMostBytes] },
          },
          { projection: { payload: 1 }, batchSize: eventIds.length + 1, maxTimeMS: requestDeadlineMs },
        )
        .toArray();
      const rows = this.#payloads.readList(documents.filter(({ payload }) => payload !== null));
      return new Map(rows.flatMap((row) => row ?? []).map(({ eventId, payload }) => [eventId, payload]));
    });
  }

  list(filter: DeliveryFilter, { offset, limit }: RowRange): Promise<ListedRow<DeliverySummary>[]> {
    return runRead('list deliveries', async () => {
      const documents = await this.#deliveries
        .find(toQuery(filter), { projection: { payload: 0 }, hint: selectIndex(filter), maxTimeMS: requestDeadlineMs })
        .sort({ receivedAt: -1, _id: -1 })
        .skip(offset)
        .limit(limit)
        .batchSize(limit)
        .toArray();
      return this.#summaries.readList(documents);
    });
  }

  count(filter: DeliveryFilter, atMost: number): Promise<number> {
    return runRead('count deliveries', () => {
      const options = { limit: atMost, hint: selectIndex(filter), maxTimeMS: requestDeadlineMs };
      return this.#deliveries.countDocuments(toQuery(filter), options);
    });
  }

  countDead(atMost: number): Promise<ReadonlyMap<string, number>> {
    return runRead('count dead deliveries', async () => {
      const groups = await this.#deliveries
        .aggregate<{ _id: string; count: number }>(
          [
            { $match: { state: 'dead' } },
            { $limit: atMost },
            { $group: { _id: '$integrationId', count: { $sum: 1 } } },
          ],
          { hint: deliveryIndexes.deadByAge, maxTimeMS: requestDeadlineMs },
        )
        .toArray();
      return new Map(groups.flatMap(({ _id, count }) => (typeof _id === 'string' ? [[_id, count]] : [])));
    });
  }

  /**
   * Inserts all rows, then reads those that existed already. A read misses a row that is not replicated to a majority
   * yet, or that the TTL index has just removed. Then it inserts the delivery again, until the deadline.
   */
  async #register(deliveries: readonly Delivery[], limits: RunCallLimits): Promise<RegisterOutcome> {
    const duplicates: UUID[] = [];
    const retried: ExistingRow[] = [];
    const unstorable: UnstorableItem[] = [];
    const end = performance.now() + limits.deadlineMs;
    for (let pending = deliveries; ; await delay(20)) {
      const inserted = await this.#insertMissing(pending, limits);
      unstorable.push(...inserted.unstorable);
      const rows = await this.#readRows(inserted.existing, limits);
      pending = inserted.existing.filter((delivery) => !rows.has(delivery.eventId));
      for (const delivery of inserted.existing) {
        const row = rows.get(delivery.eventId);
        if (row === undefined) continue;
        if (isDuplicate(delivery, toRowState(row))) duplicates.push(row._id);
        else retried.push(row);
      }
      if (pending.length === 0) break;
      if (performance.now() > end)
        throw new UnavailableError('MongoDB, register deliveries: existing rows could not be read back');
    }
    const areAllUpdated = await this.#updateRows(duplicates, retried, limits);
    if (!areAllUpdated) duplicates.push(...(await this.#countDuplicates(retried, limits)));
    return { duplicates: duplicates.map((_id) => _id.toHexString()), unstorable };
  }

  /** Returns the deliveries whose row exists already, and those that cannot be stored. */
  async #insertMissing(
    deliveries: readonly Delivery[],
    { writeConcern }: RunCallLimits,
  ): Promise<{ existing: Delivery[]; unstorable: UnstorableItem[] }> {
    if (deliveries.length === 0) return { existing: [], unstorable: [] };
    const outcome = await writeStorable(deliveries, async (batch) => {
      await this.#deliveries.insertMany(batch.map(toReceivedDocument), { ordered: false, writeConcern });
      return {};
    });
    const existing: Delivery[] = [];
    const unstorable: UnstorableItem[] = [];
    for (const { index, isDuplicate, cause } of outcome.rejected) {
      const delivery = deliveries[index];
      if (delivery === undefined) continue;
      if (isDuplicate) existing.push(delivery);
      else unstorable.push({ id: delivery.eventId, cause });
    }
    return { existing, unstorable };
  }

  async #readRows(deliveries: readonly Delivery[], { deadlineMs }: RunCallLimits): Promise<Map<string, ExistingRow>> {
    if (deliveries.length === 0) return new Map();
    const ids = deliveries.map((delivery) => new UUID(delivery.eventId));
    const rows = await this.#deliveries
      .find<ExistingRow>(
        { _id: { $in: ids } },
        { projection: { state: 1, widgetId: 1, attempts: 1 }, maxTimeMS: deadlineMs, batchSize: ids.length + 1 },
      )
      .toArray();
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  /**
   * Counts attempts and duplicates, and sets redriven rows to `received`. Each filter contains the state that was read
   * (of redriven rows also the attempts), so that a change by another run stays. Example: another run marks the
   * delivery dead and completes its job. If this update then set the row to `received`, no job would be left to process
   * it. Returns whether every filter matched.
   */
  async #updateRows(
    duplicates: UUID[],
    retried: readonly ExistingRow[],
    { writeConcern }: RunCallLimits,
  ): Promise<boolean> {
    const received = retried.filter(({ state }) => state === 'received').map(({ _id }) => _id);
    const redriven = retried.filter(({ state }) => state === 'dead');
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
    if (operations.length === 0) return true;
    const { matchedCount } = await this.#deliveries.bulkWrite(operations, { ordered: false, writeConcern });
    return matchedCount === retried.length + duplicates.length;
  }

  /**
   * Returns the rows that were discarded or published since they were read, and counts a duplicate of each. Finds them
   * by a write: a read may miss a change that no majority has yet, and the run would apply a discarded delivery.
   */
  async #countDuplicates(rows: readonly ExistingRow[], { writeConcern }: RunCallLimits): Promise<UUID[]> {
    const duplicates: UUID[] = [];
    for (const { _id } of rows) {
      const filter = { _id, state: { $in: ['discarded' as const, 'published' as const] } };
      const { matchedCount } = await this.#deliveries.updateOne(filter, { $inc: { duplicates: 1 } }, { writeConcern });
      if (matchedCount === 1) duplicates.push(_id);
    }
    return duplicates;
  }
}

function toRowState({ state, widgetId }: ExistingRow) {
  return { state, widgetId: widgetId instanceof UUID ? widgetId.toHexString() : null };
}
