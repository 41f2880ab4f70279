import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Document, Filter } from 'mongodb';

/**
 * Deletes one document that matches the filter. Returns false if none matches.
 *
 * A count of 0 is not enough to return false. FerretDB 2.7 answers 0, and keeps the document, when an update of it
 * commits while `deleteOne` runs. `deleteMany` has no such error, but the driver does not retry it after a failover.
 */
export async function deleteDocument<Schema extends Document>(
  collection: Collection<Schema>,
  filter: Filter<Schema>,
): Promise<boolean> {
  do {
    const { deletedCount } = await collection.deleteOne(filter);
    if (deletedCount === 1) return true;
  } while ((await collection.findOne(filter, { projection: { _id: 1 }, maxTimeMS: requestDeadlineMs })) !== null);
  return false;
}
