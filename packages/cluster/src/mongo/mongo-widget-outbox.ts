import type {
  OutboxScanCursor,
  PublishedThrough,
  UnpublishedWidget,
  WidgetOutbox,
} from '@widget-service/shared/ports/widget-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import { type AnyBulkWriteOperation, type Db, type Filter, UUID } from 'mongodb';
import { toBsonUuids } from './bson-uuid.ts';
import { createRunCall, type RunCall } from './run-calls.ts';
import { runRead } from './translate-error.ts';
import { type WidgetDocument, widgetCollection } from './widget-document.ts';

/** Finds widgets with unpublished events in MongoDB, and removes published ones from their outboxes. */
export function createMongoWidgetOutbox(db: Db, runCall: RunCall = createRunCall()): WidgetOutbox {
  const widgets = widgetCollection(db);

  async function findByOutboxSince(
    range: { readonly $lt: Date } | { readonly $gt: Date },
    limit: number,
    from: OutboxScanCursor | undefined,
  ): Promise<UnpublishedWidget[]> {
    // Widgets with the same time have no order, so the cursor contains the ids that were already returned.
    const afterCursor: Filter<WidgetDocument> =
      from === undefined
        ? {}
        : { $and: [{ outboxSince: { $gte: from.since } }, { id: { $nin: toBsonUuids(from.widgetIds) } }] };
    const documents = await widgets
      .find(
        // Skips a damaged document without an id: no nudge could name it, and it must not hide the others.
        { outboxSince: range, $or: [{ id: { $type: 'binData' } }], ...afterCursor },
        { projection: { id: 1, outboxSince: 1 }, maxTimeMS: requestDeadlineMs },
      )
      .sort({ outboxSince: 1 })
      .limit(limit)
      .batchSize(limit)
      .toArray();
    // The default only satisfies the type: the query returns no widget without `outboxSince`.
    return documents.map(({ id, outboxSince: since = from?.since ?? new Date(0) }) => ({
      widgetId: id.toHexString(),
      since,
    }));
  }

  return {
    removePublished: (published) =>
      runCall('remove published outbox entries', async ({ writeConcern }) => {
        if (published.length > 0) await widgets.bulkWrite(published.map(toRemoval), { ordered: false, writeConcern });
      }),
    findOverdue: (before, limit, from) =>
      runRead('find overdue outboxes', () => findByOutboxSince({ $lt: before }, limit, from)),
    findFutureDated: (after, limit, from) =>
      runRead('find future-dated outboxes', () => findByOutboxSince({ $gt: after }, limit, from)),
  };
}

/** Removes the entries and updates `outboxSince` in one atomic write, so that no crash can separate the two. */
function toRemoval({ widgetId, version }: PublishedThrough): AnyBulkWriteOperation<WidgetDocument> {
  const isKept = { $gt: ['$$entry.after.version', version] };
  const isEmpty = { $eq: [{ $size: '$outbox' }, 0] };
  return {
    updateOne: {
      filter: { id: new UUID(widgetId) },
      update: [
        { $set: { outbox: { $filter: { input: '$outbox', as: 'entry', cond: isKept } } } },
        { $set: { outboxSince: { $cond: [isEmpty, '$$REMOVE', { $min: '$outbox.receivedAt' }] } } },
      ],
    },
  };
}
