import type { DeliveryLedger } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { IntegrationStore } from '@widget-service/shared/ports/integration-store.ts';
import type { RunRegister } from '@widget-service/shared/ports/run-register.ts';
import type { SessionStore } from '@widget-service/shared/ports/session-store.ts';
import type { SubscriptionStore } from '@widget-service/shared/ports/subscription-store.ts';
import type { UserStore } from '@widget-service/shared/ports/user-store.ts';
import type { WidgetEffects } from '@widget-service/shared/ports/widget-effects.ts';
import type { WidgetOutbox } from '@widget-service/shared/ports/widget-outbox.ts';
import type { WidgetStore } from '@widget-service/shared/ports/widget-store.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Db } from 'mongodb';
import { type MongoConnection, openMongo } from './client.ts';
import { createIndexes, verifyIndexes } from './indexes.ts';
import { MongoDeliveryLedger } from './mongo-delivery-ledger.ts';
import { MongoIntegrationStore } from './mongo-integration-store.ts';
import { MongoPartitionList } from './mongo-partition-list.ts';
import { MongoRunRegister } from './mongo-run-register.ts';
import { MongoSessionStore } from './mongo-session-store.ts';
import { MongoSubscriptionStore } from './mongo-subscription-store.ts';
import { MongoUserStore } from './mongo-user-store.ts';
import { MongoWidgetEffects } from './mongo-widget-effects.ts';
import { MongoWidgetOutbox } from './mongo-widget-outbox.ts';
import { MongoWidgetStore } from './mongo-widget-store.ts';

export interface MongoStoresOptions {
  readonly url: string;
  readonly database: string;
  /** How long a MongoDB that does not answer yet is waited for. */
  readonly startTimeoutMs: number;
  /** Whether to build missing indexes; otherwise they must be there. */
  readonly migrate: boolean;
  /** How long a delivery's row is kept after its publication. */
  readonly deliveryRetentionMs: number;
}

export interface MongoStores {
  readonly widgets: WidgetStore;
  readonly effects: WidgetEffects;
  readonly outboxes: WidgetOutbox;
  readonly ledger: DeliveryLedger;
  readonly runs: RunRegister;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly subscriptions: SubscriptionStore;
  readonly integrations: IntegrationStore;
  readonly partitions: MongoPartitionList;
  /** For tests: removes everything. */
  dropDatabase(): Promise<void>;
  close(): Promise<void>;
}

/** The database has not been migrated, and this process was not asked to. */
class MissingIndexesError extends ExitError {
  /** As `<collection>.<name>`. */
  readonly missing: readonly string[];

  constructor(missing: readonly string[]) {
    super(
      exitCodes.configuration,
      `MongoDB lacks indexes the service relies on: ${missing.join(', ')}. Run "npm run migrate" first.`,
    );
    this.missing = missing;
  }
}

/** Opens every port that MongoDB stands behind. Throws `MongoUnreachableError` or `MissingIndexesError`. */
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

/** On a connection of its own, without a time-out: an index over many rows takes as long as it takes. */
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
  return {
    widgets: new MongoWidgetStore(db),
    effects: new MongoWidgetEffects(db),
    outboxes: new MongoWidgetOutbox(db),
    ledger: new MongoDeliveryLedger(db, options.deliveryRetentionMs),
    runs: new MongoRunRegister(db),
    users: new MongoUserStore(db),
    sessions: new MongoSessionStore(db),
    subscriptions: new MongoSubscriptionStore(db),
    integrations: new MongoIntegrationStore(db),
    partitions: new MongoPartitionList(db),
    dropDatabase: async () => {
      await db.dropDatabase();
    },
    close,
  };
}
