import type {
  OutboxScanCursor,
  PublishedThrough,
  UnpublishedWidget,
  WidgetOutbox,
} from '@widget-service/shared/ports/widget-outbox.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import { type AnyBulkWriteOperation, type Collection, type Db, type Filter, UUID } from 'mongodb';
import { toBsonUuids } from './bson-uuid.ts';
import { runDeadlineMs, runPortCall } from './translate-error.ts';
import { type WidgetDocument, widgetCollection } from './widget-document.ts';

export class MongoWidgetOutbox implements WidgetOutbox {
  readonly #widgets: Collection<WidgetDocument>;

  constructor(db: Db) {
    this.#widgets = widgetCollection(db);
  }

  removePublished(
    run: number,
    published: readonly PublishedThrough[],
  ): Promise<{ readonly superseded: readonly string[] }> {
    return runPortCall(
      'empty outboxes',
      async () => {
        if (published.length === 0) return { superseded: [] };
        const operations = published.map((one) => toPull(run, one));
        const { matchedCount } = await this.#widgets.bulkWrite(operations, { ordered: false });
        if (matchedCount === published.length) return { superseded: [] };
        return { superseded: await this.#notOfRun(run, published) };
      },
      runDeadlineMs,
    );
  }

  findOverdue(before: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]> {
    return runPortCall('find stale outboxes', () => this.#find({ $lt: before }, limit, from));
  }

  findFutureDated(after: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]> {
    return runPortCall('find outboxes ahead of the time', () => this.#find({ $gt: after }, limit, from));
  }

  async #find(
    range: { readonly $lt: Date } | { readonly $gt: Date },
    limit: number,
    from: OutboxScanCursor | undefined,
  ): Promise<UnpublishedWidget[]> {
    // Among those of one time the index has an order of its own, so they are told apart by name.
    const behind: Filter<WidgetDocument> =
      from === undefined
        ? {}
        : { $and: [{ outboxSince: { $gte: from.since } }, { id: { $nin: toBsonUuids(from.widgetIds) } }] };
    const documents = await this.#widgets
      .find({ outboxSince: range, ...behind }, { projection: { id: 1, outboxSince: 1 }, maxTimeMS: requestDeadlineMs })
      .sort({ outboxSince: 1 })
      .limit(limit)
      .batchSize(limit)
      .toArray();
    return documents.map(({ id, outboxSince: since = from?.since ?? new Date(0) }) => ({
      widgetId: id.toHexString(),
      since,
    }));
  }

  async #notOfRun(run: number, published: readonly PublishedThrough[]): Promise<string[]> {
    const ids = published.map((one) => one.widgetId);
    const documents = await this.#widgets
      .find({ id: { $in: toBsonUuids(ids) }, fence: run }, { projection: { id: 1 }, maxTimeMS: runDeadlineMs })
      .toArray();
    const ofRun = new Set(documents.map((document) => document.id.toHexString()));
    return ids.filter((id) => !ofRun.has(id));
  }
}

/** Removes the entries and says anew how old the oldest one left is, in one step: no crash can part the two. */
function toPull(run: number, { widgetId, version }: PublishedThrough): AnyBulkWriteOperation<WidgetDocument> {
  const isLeft = { $gt: ['$$entry.after.version', version] };
  const isEmpty = { $eq: [{ $size: '$outbox' }, 0] };
  return {
    updateOne: {
      filter: { id: new UUID(widgetId), fence: run },
      update: [
        { $set: { outbox: { $filter: { input: '$outbox', as: 'entry', cond: isLeft } } } },
        { $set: { outboxSince: { $cond: [isEmpty, '$$REMOVE', { $min: '$outbox.receivedAt' }] } } },
      ],
    },
  };
}
