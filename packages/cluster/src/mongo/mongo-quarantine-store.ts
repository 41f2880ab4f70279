import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { quarantinedTextShape, quarantineRowShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type {
  QuarantineReason,
  QuarantineRow,
  QuarantineStore,
} from '@widget-service/shared/ports/quarantine-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Db } from 'mongodb';
import type { OnWarning } from '../redis/targets.ts';
import { collectionNames, quarantineIndexes } from './indexes.ts';
import { insertRepeatably, isDuplicateKey, runPortCall, runRead } from './translate-error.ts';

interface QuarantineDocument {
  _id: string;
  text: string;
  reason: QuarantineReason;
  jobId: string;
  integrationId: string | null;
  quarantinedAt: Date;
  sizeBytes: number;
}

export function createMongoQuarantineStore(db: Db, onWarning?: OnWarning): QuarantineStore {
  const of = collectionNames.quarantine;
  const identify = ({ _id }: Pick<QuarantineDocument, '_id'>) => _id;
  const rows = createRowReader({ of, identify, convert: toRow, shape: quarantineRowShape, onWarning });
  const convert = (document: QuarantineDocument) => ({ ...toRow(document), text: document.text });
  const withText = createRowReader({ of, identify, convert, shape: quarantinedTextShape, onWarning });
  const texts = db.collection<QuarantineDocument>(collectionNames.quarantine);

  return {
    add: ({ id, text, reason, jobId, integrationId, quarantinedAt }) => {
      const sizeBytes = Buffer.byteLength(text);
      return runPortCall('quarantine a text', async () => {
        try {
          const document = { _id: id, text, reason, jobId, integrationId, quarantinedAt, sizeBytes };
          await insertRepeatably(() => texts.insertOne(document));
        } catch (error) {
          // The text is already stored: its job ran before.
          if (!isDuplicateKey(error)) throw error;
        }
      });
    },
    get: (id) =>
      runRead('get a quarantined text', async () => {
        return withText.readIfAny(await texts.findOne({ _id: id }, { maxTimeMS: requestDeadlineMs }));
      }),
    list: ({ offset, limit }) =>
      runRead('list quarantined texts', async () => {
        const documents = await texts
          .find({}, { projection: { text: 0 }, hint: quarantineIndexes.byAge, maxTimeMS: requestDeadlineMs })
          .sort({ quarantinedAt: -1, _id: -1 })
          .skip(offset)
          .limit(limit)
          .batchSize(limit)
          .toArray();
        return rows.readList(documents);
      }),
    count: (atMost) =>
      runRead('count quarantined texts', () =>
        texts.countDocuments({}, { limit: atMost, maxTimeMS: requestDeadlineMs }),
      ),
    discard: (id) =>
      runPortCall('discard a quarantined text', async () => {
        const document = await texts.findOneAndDelete({ _id: id }, { projection: { text: 0 } });
        return document === null ? null : toRow(document);
      }),
  };
}

function toRow({ _id: id, ...document }: Omit<QuarantineDocument, 'text'>): QuarantineRow {
  const { reason, jobId, integrationId, quarantinedAt, sizeBytes } = document;
  return { id, reason, jobId, integrationId, quarantinedAt, sizeBytes };
}
