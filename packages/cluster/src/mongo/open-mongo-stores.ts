import type { Settings } from '@widget-service/shared/config/settings.ts';
import { auditEventEntity } from '@widget-service/shared/entities/audit-event.ts';
import { integrationEntity, provisionTokenEntity, subscriptionEntity } from '@widget-service/shared/entities/grant.ts';
import { quarantinedTextEntity } from '@widget-service/shared/entities/quarantined-text.ts';
import { refusalEntity, sampleEntity } from '@widget-service/shared/entities/refused-request.ts';
import { serviceKeyEntity } from '@widget-service/shared/entities/service-key.ts';
import { sessionEntity } from '@widget-service/shared/entities/session.ts';
import { userEntity } from '@widget-service/shared/entities/user.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Db } from 'mongodb';
import type { PartitionCountStore } from '../bullmq/partition-counts.ts';
import { type MongoConnection, type MongoOptions, openMongo, warnOfIgnoredOptions } from './client.ts';
import { createIndexes, verifyIndexes } from './indexes.ts';
import { MongoCollection } from './mongo-collection.ts';
import { MongoDeliveryLedger } from './mongo-delivery-ledger.ts';
import { createMongoPartitionCountStore } from './mongo-partition-count-store.ts';
import {
  createMongoRunCounter,
  createMongoRunRegistry,
  type MongoRunRegistry,
  type RunCounter,
} from './mongo-run-registry.ts';
import { createMongoWidgetEffects } from './mongo-widget-effects.ts';
import { createMongoWidgetOutbox } from './mongo-widget-outbox.ts';
import { createMongoWidgetStore } from './mongo-widget-store.ts';
import { createRunCall } from './run-calls.ts';

export interface MongoStoresOptions extends MongoOptions, Pick<Settings, 'DELIVERY_RETENTION_MS'> {
  /** Whether to build missing indexes. Otherwise they must exist. */
  readonly migrate: boolean;
}

/** The members of a backend that have a MongoDB adapter. */
type MongoPorts = Omit<
  Backend,
  | 'kind'
  | 'runs'
  | 'eventLog'
  | 'hookQueue'
  | 'control'
  | 'processStates'
  | 'rateLimiter'
  | 'hookCounts'
  | 'removeExpired'
  | 'findMismatch'
  | 'close'
>;

export interface MongoStores {
  readonly ports: MongoPorts;
  readonly partitions: PartitionCountStore;
  readonly runs: MongoRunRegistry;
  readonly runCounter: RunCounter;
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
 * (configuration) for a malformed `MONGODB_URL`, `UnavailableError` if MongoDB fails in between, and the errors of
 * `createIndexes` with `migrate`.
 */
export async function openMongoStores(options: MongoStoresOptions): Promise<MongoStores> {
  if (options.migrate) await migrateMongo(options);
  const connection = await openMongo(options);
  warnOfIgnoredOptions(options);
  try {
    if (!options.migrate) await requireIndexes(connection.db);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return createStores(connection, options);
}

/**
 * Builds the missing indexes, and returns their names. Uses a connection of its own, without a socket time-out: to
 * build an index over many documents may take long. Throws the errors of `openMongoStores`.
 */
export async function migrateMongo(options: MongoOptions): Promise<readonly string[]> {
  const connection = await openMongo({ ...options, socketTimeoutMs: 0 });
  try {
    return await createIndexes(connection.db);
  } finally {
    await connection.close();
  }
}

async function requireIndexes(db: Db): Promise<void> {
  const missing = await verifyIndexes(db);
  if (missing.length > 0) throw new MissingIndexesError(missing);
}

function createStores({ db, close }: MongoConnection, options: MongoStoresOptions): MongoStores {
  const runCall = createRunCall();
  const { onWarning } = options;
  const ports: MongoPorts = {
    widgets: createMongoWidgetStore(db, onWarning),
    effects: createMongoWidgetEffects(db, runCall, onWarning),
    outboxes: createMongoWidgetOutbox(db, runCall),
    ledger: new MongoDeliveryLedger(db, options.DELIVERY_RETENTION_MS, runCall, onWarning),
    quarantine: new MongoCollection(db, quarantinedTextEntity, onWarning),
    refusals: new MongoCollection(db, refusalEntity, onWarning),
    samples: new MongoCollection(db, sampleEntity, onWarning),
    users: new MongoCollection(db, userEntity, onWarning),
    sessions: new MongoCollection(db, sessionEntity, onWarning),
    subscriptions: new MongoCollection(db, subscriptionEntity, onWarning),
    integrations: new MongoCollection(db, integrationEntity, onWarning),
    provisionTokens: new MongoCollection(db, provisionTokenEntity, onWarning),
    auditEvents: new MongoCollection(db, auditEventEntity, onWarning),
    serviceKeys: new MongoCollection(db, serviceKeyEntity, onWarning),
  };
  return {
    ports,
    partitions: createMongoPartitionCountStore(db),
    runs: createMongoRunRegistry(db, runCall),
    runCounter: createMongoRunCounter(db, runCall),
    dropDatabase: async () => {
      await db.dropDatabase();
    },
    close,
  };
}
