import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { loadedWidgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import { pickHookChanged } from '@widget-service/shared/domain/widget.ts';
import type { LoadedWidget, WidgetChange, WidgetEffects } from '@widget-service/shared/ports/widget-store.ts';
import { type AnyBulkWriteOperation, type Db, UUID } from 'mongodb';
import type { OnWarning } from '../redis/redis-failover.ts';
import { toBsonUuids } from './bson-uuid.ts';
import { collectionNames } from './indexes.ts';
import { createRunCall, type RunCall } from './run-calls.ts';
import { writeStorable } from './translate-error.ts';
import { toOutboxDocument, toWidget, type WidgetDocument, widgetCollection } from './widget-document.ts';

type LoadedDocument = Omit<WidgetDocument, 'idem'>;

/** Loads the widgets of a run, and writes the effects of its hooks: one bulk write, conditional on each version. */
export function createMongoWidgetEffects(
  db: Db,
  runCall: RunCall = createRunCall(),
  onWarning?: OnWarning,
): WidgetEffects {
  const rows = createRowReader({
    of: collectionNames.widgets,
    identify: ({ _id }: LoadedDocument) => _id,
    convert: toLoadedWidget,
    shape: loadedWidgetShape,
    onWarning,
  });
  const widgets = widgetCollection(db);
  return {
    load: (widgetIds) =>
      runCall('load widgets', async ({ deadlineMs }) => {
        const documents = await widgets
          .find<LoadedDocument>(
            { id: { $in: toBsonUuids(widgetIds) } },
            { projection: { idem: 0 }, maxTimeMS: deadlineMs, batchSize: widgetIds.length + 1 },
          )
          .toArray();
        return documents.map(rows.read);
      }),
    apply: (changes) =>
      runCall('apply hooks', async ({ writeConcern }) => {
        if (changes.length === 0) return { superseded: false, unstorable: [] };
        const { matchedCount, rejected } = await writeStorable(changes.map(toUpdate), (operations) =>
          widgets.bulkWrite(operations, { ordered: false, writeConcern }),
        );
        const unstorable = rejected.map(({ index, cause }) => ({ id: changes[index]?.widgetId ?? '', cause }));
        return { superseded: matchedCount + unstorable.length < changes.length, unstorable };
      }),
  };
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
