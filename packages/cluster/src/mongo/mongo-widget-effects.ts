import { RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { loadedWidgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import { pickHookChanged } from '@widget-service/shared/domain/widget.ts';
import type {
  LoadedWidget,
  OutboxScanCursor,
  PublishedThrough,
  UnpublishedWidget,
  WidgetChange,
  WidgetEffects,
  WidgetOutbox,
} from '@widget-service/shared/ports/widget-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import { type AnyBulkWriteOperation, type Collection, type Db, type Filter, UUID } from 'mongodb';
import type { OnWarning } from '../redis/redis-failover.ts';
import { toBsonUuids } from './bson-uuid.ts';
import { collectionNames } from './indexes.ts';
import { RunCalls } from './run-calls.ts';
import { runRead, writeStorable } from './translate-error.ts';
import { toOutboxDocument, toWidget, type WidgetDocument, widgetCollection } from './widget-document.ts';

type LoadedDocument = Omit<WidgetDocument, 'idem'>;

const loadedRows = {
  of: collectionNames.widgets,
  identify: ({ _id }: LoadedDocument) => _id,
  convert: toLoadedWidget,
  shape: loadedWidgetShape,
};

/** Loads the widgets of a run, and writes the effects of its hooks: one bulk write, conditional on each version. */
export class MongoWidgetEffects implements WidgetEffects {
  readonly #widgets: Collection<WidgetDocument>;
  readonly #runCalls: RunCalls;
  readonly #rows: RowReader<LoadedDocument, LoadedWidget>;

  constructor(db: Db, runCalls = new RunCalls(), onWarning?: OnWarning) {
    this.#widgets = widgetCollection(db);
    this.#runCalls = runCalls;
    this.#rows = new RowReader(loadedRows, onWarning);
  }

  load(widgetIds: readonly string[]): Promise<LoadedWidget[]> {
    return this.#runCalls.run('load widgets', async ({ deadlineMs }) => {
      const documents = await this.#widgets
        .find<LoadedDocument>(
          { id: { $in: toBsonUuids(widgetIds) } },
          { projection: { idem: 0 }, maxTimeMS: deadlineMs, batchSize: widgetIds.length + 1 },
        )
        .toArray();
      return documents.map((document) => this.#rows.read(document));
    });
  }

  apply(changes: readonly WidgetChange[]): ReturnType<WidgetEffects['apply']> {
    return this.#runCalls.run('apply hooks', async ({ writeConcern }) => {
      if (changes.length === 0) return { superseded: false, unstorable: [] };
      const { matchedCount, rejected } = await writeStorable(changes.map(toUpdate), (operations) =>
        this.#widgets.bulkWrite(operations, { ordered: false, writeConcern }),
      );
      const unstorable = rejected.map(({ index, cause }) => ({ id: changes[index]?.widgetId ?? '', cause }));
      return { superseded: matchedCount + unstorable.length < changes.length, unstorable };
    });
  }
}

function toLoadedWidget(document: LoadedDocument): LoadedWidget {
  return { widget: toWidget(document), outbox: document.outbox.map(toOutboxDocument) };
}

function toUpdate(change: WidgetChange): AnyBulkWriteOperation<WidgetDocument> {
  const { after, entries } = change;
  const receivedAt = entries.map((entry) => entry.receivedAt.getTime());
  return {
    updateOne: {
      filter: { id: new UUID(change.widgetId), version: change.fromVersion },
      update: {
        $set: pickHookChanged(after),
        ...(entries.length === 0
          ? {}
          : {
              $push: { outbox: { $each: entries.map(toOutboxDocument) } },
              $min: { outboxSince: new Date(Math.min(...receivedAt)) },
            }),
      },
    },
  };
}

export class MongoWidgetOutbox implements WidgetOutbox {
  readonly #widgets: Collection<WidgetDocument>;
  readonly #runCalls: RunCalls;

  constructor(db: Db, runCalls = new RunCalls()) {
    this.#widgets = widgetCollection(db);
    this.#runCalls = runCalls;
  }

  removePublished(published: readonly PublishedThrough[]): Promise<void> {
    return this.#runCalls.run('remove published outbox entries', async ({ writeConcern }) => {
      if (published.length === 0) return;
      await this.#widgets.bulkWrite(published.map(toRemoval), { ordered: false, writeConcern });
    });
  }

  findOverdue(before: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]> {
    return runRead('find overdue outboxes', () => this.#findByOutboxSince({ $lt: before }, limit, from));
  }

  findFutureDated(after: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]> {
    return runRead('find future-dated outboxes', () => this.#findByOutboxSince({ $gt: after }, limit, from));
  }

  async #findByOutboxSince(
    range: { readonly $lt: Date } | { readonly $gt: Date },
    limit: number,
    from: OutboxScanCursor | undefined,
  ): Promise<UnpublishedWidget[]> {
    // The order of widgets with the same time is undefined, so the cursor names those that were already returned.
    const afterCursor: Filter<WidgetDocument> =
      from === undefined
        ? {}
        : { $and: [{ outboxSince: { $gte: from.since } }, { id: { $nin: toBsonUuids(from.widgetIds) } }] };
    const documents = await this.#widgets
      .find(
        // A damaged document without an id must not hide those after it. No nudge could name it.
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
