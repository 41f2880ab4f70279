import type { Entity } from '@widget-service/shared/entities/define-entity.ts';
import { entities } from '@widget-service/shared/entities/entities.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { type Db, type IndexDescriptionInfo, type IndexDirection, MongoServerError } from 'mongodb';
import { requireAccess } from './client.ts';
import { translateErrors } from './translate-error.ts';

export const collectionNames = {
  widgets: 'widgets',
  deliveries: 'deliveries',
  runs: 'runs',
  partitions: 'partitions',
} as const;

export const widgetIndexes = { byId: 'by_id', byAge: 'by_age', byStateAndAge: 'by_state_and_age' } as const;

export const deliveryIndexes = {
  byAge: 'by_age',
  deadByAge: 'dead_by_age',
  discardedByAge: 'discarded_by_age',
  ofAllByAge: 'of_all_by_age',
  deadOfAllByAge: 'dead_of_all_by_age',
  discardedOfAllByAge: 'discarded_of_all_by_age',
  byExpiry: 'expiry',
  byWidget: 'by_widget',
} as const;

/**
 * Every index except those on `_id`. A value that writers race for (an idempotency key, an event id, an e-mail) is the
 * `_id`: on some servers that speak MongoDB's protocol, racing inserts block each other for seconds on any other unique
 * index. The values of the unique indexes here have no such races.
 */
const indexes: Readonly<Record<string, readonly IndexSpec[]>> = {
  ...Object.fromEntries(Object.values(entities).map((entity) => [entity.name, listEntityIndexes<unknown>(entity)])),
  widgets: [
    { name: widgetIndexes.byId, key: { id: 1 }, unique: true },
    { name: widgetIndexes.byAge, key: { createdAt: -1, id: -1 } },
    { name: widgetIndexes.byStateAndAge, key: { state: 1, createdAt: -1, id: -1 } },
    // Only widgets with a non-empty outbox have the field, so the index stays small.
    { name: 'unpublished', key: { outboxSince: 1 }, sparse: true },
  ],
  deliveries: [
    // The index also contains rows without the field, so the ledger finds received rows through it.
    { name: deliveryIndexes.byExpiry, key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { name: deliveryIndexes.byAge, key: { integrationId: 1, receivedAt: -1, _id: -1 } },
    { name: deliveryIndexes.byWidget, key: { widgetId: 1, receivedAt: -1, _id: -1 } },
    // Partial, because each hook would write a full index three times when its state changes to `published`.
    {
      name: deliveryIndexes.deadByAge,
      key: { integrationId: 1, state: 1, receivedAt: -1, _id: -1 },
      partialFilterExpression: { state: 'dead' },
    },
    {
      name: deliveryIndexes.discardedByAge,
      key: { integrationId: 1, state: 1, receivedAt: -1, _id: -1 },
      partialFilterExpression: { state: 'discarded' },
    },
    // For lists over all integrations.
    { name: deliveryIndexes.ofAllByAge, key: { receivedAt: -1, _id: -1 } },
    {
      name: deliveryIndexes.deadOfAllByAge,
      key: { state: 1, receivedAt: -1, _id: -1 },
      partialFilterExpression: { state: 'dead' },
    },
    {
      name: deliveryIndexes.discardedOfAllByAge,
      key: { state: 1, receivedAt: -1, _id: -1 },
      partialFilterExpression: { state: 'discarded' },
    },
  ],
  runs: [],
  partitions: [],
};

/**
 * Builds the missing indexes, waits for them, and returns those that were missing or differed. Several pods may call it
 * at the same time. Throws `UnavailableError`, `MongoRefusalError`, or an `ExitError` (configuration) if an index with
 * the same name or key has other options.
 */
export async function createIndexes(db: Db): Promise<readonly string[]> {
  const missing = await verifyIndexes(db);
  for (const [collection, specs] of Object.entries(indexes)) {
    if (specs.length === 0) continue;
    const definitions = specs.map((spec) => ({ ...spec, key: { ...spec.key } }));
    await requireAccessTo(collection, () => db.collection(collection).createIndexes(definitions).catch(refuseOthers));
  }
  return missing;
}

/** Throws an `ExitError` for IndexOptionsConflict and IndexKeySpecsConflict, and all other errors unchanged. */
function refuseOthers(error: unknown): never {
  if (!isServerError(error) || ![85, 86].includes(Number(error.code))) throw error;
  throw new ExitError(
    exitCodes.configuration,
    'The database has other indexes: a development version with another schema wrote it, and no later version can read ' +
      'it. Name a new one in the path of MONGODB_URL.',
  );
}

/**
 * Returns the indexes that are missing or differ, as `<collection>.<name>`. Throws `UnavailableError` or
 * `MongoRefusalError`.
 */
export async function verifyIndexes(db: Db): Promise<string[]> {
  const missing: string[] = [];
  for (const [collection, specs] of Object.entries(indexes)) {
    if (specs.length === 0) continue;
    const existing = await requireAccessTo(collection, () => listIndexes(db, collection));
    for (const spec of specs) {
      if (!existing.some((index) => isSame(index, spec))) missing.push(`${collection}.${spec.name}`);
    }
  }
  return missing;
}

/** Throws `MongoRefusalError`, or the errors of `translateErrors`. */
function requireAccessTo<T>(collection: string, work: () => Promise<T>): Promise<T> {
  return translateErrors(`indexes of ${collection}`, () => requireAccess(work));
}

/**
 * MongoDB also lists indexes that it is still building. `includeBuildUUIDs` makes them recognisable: their entries have
 * no name. A server without this option lists no such indexes.
 */
async function listIndexes(db: Db, collection: string): Promise<IndexDescriptionInfo[]> {
  const namespaceNotFound = 26;
  try {
    const command = { listIndexes: collection, cursor: { batchSize: 100 } };
    const { cursor } = await db
      .command({ ...command, includeBuildUUIDs: true })
      .catch((error) =>
        isServerError(error) && error.code !== namespaceNotFound ? db.command(command) : Promise.reject(error),
      );
    return (cursor as { firstBatch: IndexDescriptionInfo[] }).firstBatch;
  } catch (error) {
    if (isServerError(error) && error.code === namespaceNotFound) return [];
    throw error;
  }
}

function isServerError(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError;
}

function isSame(index: IndexDescriptionInfo, spec: IndexSpec): boolean {
  return (
    index.name === spec.name &&
    JSON.stringify(index.key) === JSON.stringify(spec.key) &&
    (index.unique ?? false) === (spec.unique ?? false) &&
    (index.sparse ?? false) === (spec.sparse ?? false) &&
    index.expireAfterSeconds === spec.expireAfterSeconds &&
    JSON.stringify(index.partialFilterExpression) === JSON.stringify(spec.partialFilterExpression)
  );
}

interface IndexSpec {
  readonly name: string;
  readonly key: Readonly<Record<string, IndexDirection>>;
  readonly unique?: true;
  readonly sparse?: true;
  /** The index contains only matching documents. */
  readonly partialFilterExpression?: Readonly<Record<string, string | object>>;
  /** A TTL index. 0: MongoDB removes a document at the time in its indexed field. */
  readonly expireAfterSeconds?: 0;
}

/** Returns the field of a document that has a member. */
export function toField<T>({ documentId }: Pick<Entity<T>, 'documentId'>, path: string): string {
  return path === documentId ? '_id' : path;
}

/** Returns the indexes of an entity. */
export function listEntityIndexes<T>(entity: Entity<T>): readonly IndexSpec[] {
  const { key, documentId, indexes, unique, expires, order } = entity;
  // The `_id` has an index of its own.
  const uniqueIndexes = Object.entries({ ...unique, key: [key] }).filter(
    ([, members]) => members.join() !== documentId,
  );
  const toKey = (members: readonly string[]): Record<string, 1 | -1> =>
    Object.fromEntries(
      members.map((member) => [toField(entity, member.replace('-', '')), member.startsWith('-') ? -1 : 1]),
    );
  return [
    ...(expires === null ? [] : [{ name: 'expiry', key: toKey([expires]), expireAfterSeconds: 0 as const }]),
    ...(order.length === 0 ? [] : [{ name: 'by_age', key: toKey(order.map((member) => `-${member}`)) }]),
    ...Object.entries(indexes).map(([name, members]) => ({ name, key: toKey(members) })),
    ...uniqueIndexes.map(([name, members]) => ({
      name,
      key: toKey(members),
      unique: true as const,
      ...limitToTexts(entity, members[0] ?? ''),
    })),
  ];
}

/**
 * Limits an index to the documents that have the member. The condition is a range and not `$type`, because MongoDB uses
 * a partial index only if it can tell that the queried text matches the condition.
 */
function limitToTexts<T>(entity: Entity<T>, path: string): Pick<IndexSpec, 'partialFilterExpression'> {
  return entity.mayBeAbsent(path) ? { partialFilterExpression: { [toField(entity, path)]: { $gt: '' } } } : {};
}
