import type { Settings } from '@widget-service/shared/config/settings.ts';
import { mapEntities } from '@widget-service/shared/ports/backend.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Db } from 'mongodb';
import { type MongoConnection, type MongoOptions, openMongo, warnOfIgnoredOptions } from './client.ts';
import { createIndexes, verifyIndexes } from './indexes.ts';
import { MongoCollection } from './mongo-collection.ts';
import { MongoDeliveryLedger } from './mongo-delivery-ledger.ts';
import { MongoRunRegistry } from './mongo-run-registry.ts';
import { MongoWidgetEffects, MongoWidgetOutbox } from './mongo-widget-effects.ts';
import { MongoWidgetStore } from './mongo-widget-store.ts';
import { RunCalls } from './run-calls.ts';

export interface MongoStoresOptions extends MongoOptions, Pick<Settings, 'DELIVERY_RETENTION_MS'> {
  /** Whether to build missing indexes. Otherwise they must exist. */
  readonly migrate: boolean;
}

export type MongoStores = ReturnType<typeof createStores>;

/**
 * Opens every port that has a MongoDB adapter. Throws `MongoUnreachableError`, an `ExitError` (configuration) for
 * missing indexes or a malformed `MONGODB_URL`, `UnavailableError` if MongoDB fails in between, and the errors of
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
  if (missing.length === 0) return;
  throw new ExitError(
    exitCodes.configuration,
    `MongoDB lacks indexes that the service needs: ${missing.join(', ')}. Run "npm run migrate", then start again.`,
  );
}

function createStores({ db, close }: MongoConnection, options: MongoStoresOptions) {
  const runCalls = new RunCalls();
  const { onWarning } = options;
  const ports = {
    widgets: new MongoWidgetStore(db, onWarning),
    effects: new MongoWidgetEffects(db, runCalls, onWarning),
    outboxes: new MongoWidgetOutbox(db, runCalls),
    ledger: new MongoDeliveryLedger(db, options.DELIVERY_RETENTION_MS, runCalls, onWarning),
    ...mapEntities((entity) => new MongoCollection(db, entity, onWarning)),
  };
  return { db, ports, runs: new MongoRunRegistry(db, runCalls), close };
}
