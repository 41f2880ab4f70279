import type {
  QuarantineReason,
  QuarantineRow,
  QuarantineStore,
} from '@widget-service/shared/ports/quarantine-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Db } from 'mongodb';
import { collectionNames, quarantineIndexes } from './indexes.ts';
import { isDuplicateKey, runPortCall } from './translate-error.ts';

interface QuarantineDocument {
  _id: string;
  text: string;
  reason: QuarantineReason;
  jobId: string;
  integrationId: string | null;
  quarantinedAt: Date;
  sizeBytes: number;
}

export function createMongoQuarantineStore(db: Db): QuarantineStore {
  const texts = db.collection<QuarantineDocument>(collectionNames.quarantine);

  return {
    add: ({ id, text, reason, jobId, integrationId, quarantinedAt }) => {
      const sizeBytes = Buffer.byteLength(text);
      return runPortCall('quarantine a text', async () => {
        try {
          await texts.insertOne({ _id: id, text, reason, jobId, integrationId, quarantinedAt, sizeBytes });
        } catch (error) {
          // The text is already stored: its job ran before.
          if (!isDuplicateKey(error)) throw error;
        }
      });
    },
    get: (id) =>
      runPortCall('get a quarantined text', async () => {
        const document = await texts.findOne({ _id: id }, { maxTimeMS: requestDeadlineMs });
        return document === null ? null : { ...toRow(document), text: document.text };
      }),
    list: ({ offset, limit }) =>
      runPortCall('list quarantined texts', async () => {
        const documents = await texts
          .find({}, { projection: { text: 0 }, hint: quarantineIndexes.byAge, maxTimeMS: requestDeadlineMs })
          .sort({ quarantinedAt: -1, _id: -1 })
          .skip(offset)
          .limit(limit)
          .batchSize(limit)
          .toArray();
        return documents.map(toRow);
      }),
    count: (atMost) =>
      runPortCall('count quarantined texts', () =>
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
