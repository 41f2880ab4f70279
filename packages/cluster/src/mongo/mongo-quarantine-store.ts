import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type {
  QuarantinedText,
  QuarantineReason,
  QuarantineRow,
  QuarantineStore,
} from '@widget-service/shared/ports/quarantine-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
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

export class MongoQuarantineStore implements QuarantineStore {
  readonly #texts: Collection<QuarantineDocument>;

  constructor(db: Db) {
    this.#texts = db.collection<QuarantineDocument>(collectionNames.quarantine);
  }

  add({ id, text, reason, jobId, integrationId, quarantinedAt }: QuarantinedText): Promise<void> {
    const sizeBytes = Buffer.byteLength(text);
    return runPortCall('quarantine a text', async () => {
      try {
        await this.#texts.insertOne({ _id: id, text, reason, jobId, integrationId, quarantinedAt, sizeBytes });
      } catch (error) {
        // The text is already stored: its job ran before.
        if (!isDuplicateKey(error)) throw error;
      }
    });
  }

  get(id: string): Promise<(QuarantineRow & Pick<QuarantinedText, 'text'>) | null> {
    return runPortCall('get a quarantined text', async () => {
      const document = await this.#texts.findOne({ _id: id }, { maxTimeMS: requestDeadlineMs });
      return document === null ? null : { ...toRow(document), text: document.text };
    });
  }

  list({ offset, limit }: RowRange): Promise<QuarantineRow[]> {
    return runPortCall('list quarantined texts', async () => {
      const documents = await this.#texts
        .find({}, { projection: { text: 0 }, hint: quarantineIndexes.byAge, maxTimeMS: requestDeadlineMs })
        .sort({ quarantinedAt: -1, _id: -1 })
        .skip(offset)
        .limit(limit)
        .batchSize(limit)
        .toArray();
      return documents.map(toRow);
    });
  }

  count(atMost: number): Promise<number> {
    return runPortCall('count quarantined texts', () =>
      this.#texts.countDocuments({}, { limit: atMost, maxTimeMS: requestDeadlineMs }),
    );
  }

  discard(id: string): Promise<QuarantineRow | null> {
    return runPortCall('discard a quarantined text', async () => {
      const document = await this.#texts.findOneAndDelete({ _id: id }, { projection: { text: 0 } });
      return document === null ? null : toRow(document);
    });
  }
}

function toRow({ _id: id, ...document }: Omit<QuarantineDocument, 'text'>): QuarantineRow {
  const { reason, jobId, integrationId, quarantinedAt, sizeBytes } = document;
  return { id, reason, jobId, integrationId, quarantinedAt, sizeBytes };
}
