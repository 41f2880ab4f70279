import { setTimeout as delay } from 'node:timers/promises';
import { type RowKind, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { widgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ListedRow, RowRange } from '@widget-service/shared/domain/page.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type {
  InsertOutcome,
  WidgetCreation,
  WidgetFilter,
  WidgetStore,
} from '@widget-service/shared/ports/widget-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import type { Collection, Db, Filter, WithId } from 'mongodb';
import type { OnWarning } from '../redis/redis-failover.ts';
import { toBsonUuid } from './bson-uuid.ts';
import { collectionNames, widgetIndexes } from './indexes.ts';
import { insertRepeatably, isDuplicateKey, runPortCall, runRead } from './translate-error.ts';
import {
  type StoredWidget,
  toDocumentId,
  toWidget,
  toWidgetDocument,
  type WidgetDocument,
  widgetCollection,
  widgetProjection,
} from './widget-document.ts';

const maxTimeMS = requestDeadlineMs;

const widgetRows: RowKind<WithId<StoredWidget>, Widget> = {
  of: collectionNames.widgets,
  identify: ({ _id }) => _id,
  convert: toWidget,
  shape: widgetShape,
};

/** Inserts and lists widgets in MongoDB: one document holds a widget, its idempotency record and its outbox. */
export class MongoWidgetStore implements WidgetStore {
  readonly #widgets: Collection<WidgetDocument>;
  readonly #rows: RowReader<WithId<StoredWidget>, Widget>;

  constructor(db: Db, onWarning?: OnWarning) {
    this.#widgets = widgetCollection(db);
    this.#rows = new RowReader(widgetRows, onWarning);
  }

  insertOnce(creation: WidgetCreation): Promise<InsertOutcome> {
    return runPortCall('create a widget', async () => {
      try {
        await insertRepeatably(() => this.#widgets.insertOne(toWidgetDocument(creation)));
        return { status: 'created' };
      } catch (error) {
        if (isDuplicateKey(error)) return await this.#readEarlierOutcome(creation);
        throw error;
      }
    });
  }

  get(id: string): Promise<Widget | null> {
    return runRead('get a widget', async () => {
      const uuid = toBsonUuid(id);
      if (uuid === null) return null;
      const options = { projection: widgetProjection, maxTimeMS };
      return this.#rows.readIfAny(await this.#widgets.findOne<WithId<StoredWidget>>({ id: uuid }, options));
    });
  }

  list(filter: WidgetFilter, { offset, limit }: RowRange): Promise<ListedRow<Widget>[]> {
    return runRead('list widgets', async () => {
      const documents = await this.#widgets
        .find<WithId<StoredWidget>>(toQuery(filter), { projection: widgetProjection, maxTimeMS })
        .sort({ createdAt: -1, id: -1 })
        .skip(offset)
        .limit(limit)
        .batchSize(limit)
        .toArray();
      return this.#rows.readList(documents);
    });
  }

  count(filter: WidgetFilter, atMost: number, deadlineMs = requestDeadlineMs): Promise<number> {
    const hint = filter.state === null ? widgetIndexes.byAge : widgetIndexes.byStateAndAge;
    const options = { limit: atMost, hint, maxTimeMS: deadlineMs };
    return runRead('count widgets', () => this.#widgets.countDocuments(toQuery(filter), options), deadlineMs);
  }

  /**
   * Reads the document that already has this `_id`. It is the widget of this very call if the driver has repeated the
   * insert after a lost reply. Retries, because a document is readable only once a majority has it.
   */
  async #readEarlierOutcome({ widget, idempotency }: WidgetCreation): Promise<InsertOutcome> {
    const _id = toDocumentId(widget.id, idempotency);
    const end = performance.now() + requestDeadlineMs;
    for (let pauseMs = 5; performance.now() < end; pauseMs = Math.min(pauseMs * 2, 80)) {
      const stored = await this.#widgets.findOne({ _id }, { projection: { id: 1, idem: 1 }, maxTimeMS });
      if (stored !== null) {
        const widgetId = stored.id.toHexString();
        if (widgetId === widget.id) return { status: 'created' };
        if (stored.idem?.fingerprint !== idempotency?.fingerprint) return { status: 'conflict' };
        return { status: 'replayed', widgetId, body: stored.idem?.body ?? '' };
      }
      await delay(pauseMs);
    }
    throw new UnavailableError(
      'MongoDB, create a widget: the document that is already stored under this _id could not be read',
    );
  }
}

function toQuery(filter: WidgetFilter): Filter<WidgetDocument> {
  return {
    ...(filter.state === null ? {} : { state: filter.state }),
    ...(filter.createdAtOrBefore === null ? {} : { createdAt: { $lte: filter.createdAtOrBefore } }),
  };
}
