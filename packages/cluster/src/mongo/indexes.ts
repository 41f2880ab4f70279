import { type Db, type IndexDescriptionInfo, type IndexDirection, MongoServerError } from 'mongodb';
import { translateErrors } from './translate-error.ts';

export const collectionNames = {
  widgets: 'widgets',
  deliveries: 'deliveries',
  quarantine: 'quarantine',
  runs: 'runs',
  users: 'users',
  adminRoster: 'adminRoster',
  sessions: 'sessions',
  personalStreams: 'personalStreams',
  subscriptions: 'subscriptions',
  integrations: 'integrations',
  provisionTokens: 'provisionTokens',
  partitions: 'partitions',
} as const;
type CollectionName = (typeof collectionNames)[keyof typeof collectionNames];

interface IndexSpec {
  readonly name: string;
  readonly key: Readonly<Record<string, IndexDirection>>;
  readonly unique?: true;
  readonly sparse?: true;
  /** Only rows that match it are in the index. */
  readonly partialFilterExpression?: Readonly<Record<string, string>>;
  /** 0: a row goes at the time its indexed field names. */
  readonly expireAfterSeconds?: 0;
}

export const widgetIndexes = { byId: 'by_id', byAge: 'by_age', byStateAndAge: 'by_state_and_age' } as const;

export const deliveryIndexes = { byAge: 'by_age', deadByAge: 'dead_by_age', byExpiry: 'expiry' } as const;

const grantIndexes: readonly IndexSpec[] = [
  { name: 'token', key: { tokenDigest: 1 }, unique: true },
  { name: 'previous_token', key: { 'previousToken.digest': 1 } },
  { name: 'by_age', key: { createdAt: -1, _id: -1 } },
];

/**
 * Every index but the one on `_id` that each collection has anyway. Where writers race for a value (an idempotency key,
 * an event id, an e-mail), that value is the `_id`: some servers that speak MongoDB's protocol let racing inserts block
 * each other for seconds on any other unique index. The unique indexes here only guard what nobody races for.
 */
const indexes: Readonly<Record<CollectionName, readonly IndexSpec[]>> = {
  widgets: [
    { name: widgetIndexes.byId, key: { id: 1 }, unique: true },
    { name: widgetIndexes.byAge, key: { createdAt: -1, id: -1 } },
    { name: widgetIndexes.byStateAndAge, key: { state: 1, createdAt: -1, id: -1 } },
    // Only widgets with something to publish have the field, so this index stays as small as that set.
    { name: 'unpublished', key: { outboxSince: 1 }, sparse: true },
  ],
  deliveries: [
    // Rows without the field are in it too, which are those that are not published.
    { name: deliveryIndexes.byExpiry, key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { name: deliveryIndexes.byAge, key: { integrationId: 1, receivedAt: -1, _id: -1 } },
    // An index of every state would be written three times for each hook.
    {
      name: deliveryIndexes.deadByAge,
      key: { integrationId: 1, state: 1, receivedAt: -1, _id: -1 },
      partialFilterExpression: { state: 'dead' },
    },
  ],
  quarantine: [],
  runs: [],
  users: [
    { name: 'email', key: { email: 1 }, unique: true },
    { name: 'id', key: { id: 1 }, unique: true },
    { name: 'by_age', key: { createdAt: -1, id: -1 } },
  ],
  adminRoster: [],
  sessions: [
    { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { name: 'user', key: { userId: 1 } },
  ],
  personalStreams: [{ name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  subscriptions: grantIndexes,
  integrations: grantIndexes,
  provisionTokens: grantIndexes,
  partitions: [],
};

/** Builds what is not there yet; waits until it is built. May run at once on several pods. */
export async function createIndexes(db: Db): Promise<void> {
  for (const [collection, specs] of Object.entries(indexes)) {
    if (specs.length === 0) continue;
    await translateErrors(`indexes of ${collection}`, () =>
      db.collection(collection).createIndexes(specs.map((spec) => ({ ...spec, key: { ...spec.key } }))),
    );
  }
}

/** The indexes that are not there, or are another than they should be, as `<collection>.<name>`. */
export async function verifyIndexes(db: Db): Promise<string[]> {
  const missing: string[] = [];
  for (const [collection, specs] of Object.entries(indexes)) {
    if (specs.length === 0) continue;
    const found = await translateErrors(`indexes of ${collection}`, () => listIndexes(db, collection));
    for (const spec of specs) {
      if (!found.some((index) => isSame(index, spec))) missing.push(`${collection}.${spec.name}`);
    }
  }
  return missing;
}

async function listIndexes(db: Db, collection: string): Promise<IndexDescriptionInfo[]> {
  try {
    return await db.collection(collection).listIndexes().toArray();
  } catch (error) {
    const namespaceNotFound = 26;
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return [];
    throw error;
  }
}

function isSame(index: IndexDescriptionInfo, spec: IndexSpec): boolean {
  return (
    index.name === spec.name &&
    JSON.stringify(index.key) === JSON.stringify(spec.key) &&
    (index.unique ?? false) === (spec.unique ?? false) &&
    index.expireAfterSeconds === spec.expireAfterSeconds &&
    JSON.stringify(index.partialFilterExpression) === JSON.stringify(spec.partialFilterExpression)
  );
}
