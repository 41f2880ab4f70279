import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Db } from 'mongodb';
import { type MongoConnection, type MongoOptions, openMongo } from './client.ts';
import { createIndexes, verifyIndexes } from './indexes.ts';
import { MongoAuditEventStore } from './mongo-audit-event-store.ts';
import { MongoDeliveryLedger } from './mongo-delivery-ledger.ts';
import { integrationKind, MongoGrantStore, provisionTokenKind, subscriptionKind } from './mongo-grant-store.ts';
import { MongoPartitionCountStore } from './mongo-partition-count-store.ts';
import { MongoPersonalStreamStore } from './mongo-personal-stream-store.ts';
import { MongoQuarantineStore } from './mongo-quarantine-store.ts';
import { MongoRunRegistry } from './mongo-run-registry.ts';
import { MongoServiceKeyStore } from './mongo-service-key-store.ts';
import { MongoSessionStore } from './mongo-session-store.ts';
import { MongoUserStore } from './mongo-user-store.ts';
import { MongoWidgetEffects } from './mongo-widget-effects.ts';
import { MongoWidgetOutbox } from './mongo-widget-outbox.ts';
import { MongoWidgetStore } from './mongo-widget-store.ts';

export interface MongoStoresOptions extends MongoOptions {
  /** Whether to build missing indexes. Otherwise they must exist. */
  readonly migrate: boolean;
  /** How long to keep a delivery's row after its publication. */
  readonly deliveryRetentionMs: number;
  /** How long to keep an audit event. */
  readonly auditRetentionMs: number;
}

/** The ports with a MongoDB adapter: the members of a backend without the Redis adapters and the backend's own. */
type MongoPorts = Omit<
  Backend,
  | 'kind'
  | 'eventLog'
  | 'hookQueue'
  | 'control'
  | 'podRequests'
  | 'workerRequests'
  | 'rateLimiter'
  | 'refusals'
  | 'removeExpired'
  | 'close'
>;

export interface MongoStores {
  readonly ports: MongoPorts;
  readonly partitions: MongoPartitionCountStore;
  /** For tests. */
  dropDatabase(): Promise<void>;
  close(): Promise<void>;
}

/** The database lacks indexes, and `migrate` was not set. */
class MissingIndexesError extends ExitError {
  /** As `<collection>.<name>`. */
  readonly missing: readonly string[];

  constructor(missing: readonly string[]) {
    super(
      exitCodes.configuration,
      `MongoDB lacks indexes that the service needs: ${missing.join(', ')}. Run "npm run migrate", then start again.`,
    );
    this.missing = missing;
  }
}

/**
 * Opens every port that has a MongoDB adapter. Throws `MongoUnreachableError`, `MissingIndexesError`, an `ExitError`
 * (configuration) for a malformed `url`, `UnavailableError` if MongoDB fails in between, and the errors of
 * `createIndexes` with `migrate`.
 */
export async function openMongoStores(options: MongoStoresOptions): Promise<MongoStores> {
  if (options.migrate) await migrate(options);
  const connection = await openMongo(options);
  try {
    if (!options.migrate) await requireIndexes(connection.db);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return createStores(connection, options);
}

/** Uses a connection of its own, without a socket time-out: building an index over many documents may take long. */
async function migrate(options: MongoStoresOptions): Promise<void> {
  const connection = await openMongo({ ...options, socketTimeoutMs: 0 });
  try {
    await createIndexes(connection.db);
  } finally {
    await connection.close();
  }
}

async function requireIndexes(db: Db): Promise<void> {
  const missing = await verifyIndexes(db);
  if (missing.length > 0) throw new MissingIndexesError(missing);
}

function createStores({ db, close }: MongoConnection, options: MongoStoresOptions): MongoStores {
  const ports: MongoPorts = {
    widgets: new MongoWidgetStore(db),
    effects: new MongoWidgetEffects(db),
    outboxes: new MongoWidgetOutbox(db),
    ledger: new MongoDeliveryLedger(db, options.deliveryRetentionMs),
    quarantine: new MongoQuarantineStore(db),
    runs: new MongoRunRegistry(db),
    users: new MongoUserStore(db),
    sessions: new MongoSessionStore(db),
    personalStreams: new MongoPersonalStreamStore(db),
    subscriptions: new MongoGrantStore(db, subscriptionKind),
    integrations: new MongoGrantStore(db, integrationKind),
    provisionTokens: new MongoGrantStore(db, provisionTokenKind),
    auditEvents: new MongoAuditEventStore(db, options.auditRetentionMs),
    serviceKeys: new MongoServiceKeyStore(db),
  };
  return {
    ports,
    partitions: new MongoPartitionCountStore(db),
    dropDatabase: async () => {
      await db.dropDatabase();
    },
    close,
  };
}
