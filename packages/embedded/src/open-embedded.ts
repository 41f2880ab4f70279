import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { EventRetention } from '@widget-service/shared/ports/event-log.ts';
import type { Database } from './database.ts';
import { InProcessControlLog } from './in-process-control-log.ts';
import { InProcessPeerRequests } from './in-process-peer-requests.ts';
import { openDatabase } from './open-database.ts';
import { SqliteAuditEventStore } from './sqlite-audit-event-store.ts';
import { SqliteDedupeMarks } from './sqlite-dedupe-marks.ts';
import { SqliteDeliveryLedger } from './sqlite-delivery-ledger.ts';
import { SqliteEventLog } from './sqlite-event-log.ts';
import { integrationKind, provisionTokenKind, SqliteGrantStore, subscriptionKind } from './sqlite-grant-store.ts';
import { SqliteHookQueue } from './sqlite-hook-queue.ts';
import { SqlitePersonalStreamStore } from './sqlite-personal-stream-store.ts';
import { SqliteQuarantineStore } from './sqlite-quarantine-store.ts';
import { SqliteRefusalStore } from './sqlite-refusal-store.ts';
import { SqliteRunRegistry } from './sqlite-run-registry.ts';
import { SqliteServiceKeyStore } from './sqlite-service-key-store.ts';
import { SqliteSessionStore } from './sqlite-session-store.ts';
import { SqliteUserStore } from './sqlite-user-store.ts';
import { SqliteWidgetEffects } from './sqlite-widget-effects.ts';
import { SqliteWidgetOutbox } from './sqlite-widget-outbox.ts';
import { SqliteWidgetStore } from './sqlite-widget-store.ts';

export interface EmbeddedOptions {
  /** The directory of the database file. It is created if it does not exist. */
  readonly dataDir: string;
  readonly retention: EventRetention;
  /** How long the ledger keeps a delivery after it was published. Until then, a repeated hook is a duplicate. */
  readonly deliveryRetentionMs: number;
  /** How long to keep an audit event. */
  readonly auditRetentionMs: number;
  readonly now?: () => Date;
  readonly onWarning?: (message: string, details?: object) => void;
  /**
   * Called after the start when the file turns out to be damaged, or when a sync to the disk failed. The process must
   * end. The error says which of the two it was.
   */
  readonly onFatal?: (error: Error) => void;
}

/**
 * Opens the embedded backend: every port, on one SQLite file that only this process may use. The rate limiter and the
 * control log are in memory.
 *
 * Rejects with `DataDirUnusableError` if the directory cannot be used, with `DatabaseInUseError` while another process
 * has the file open, with `DatabaseTooNewError` if a newer version of the service wrote it, and with
 * `DatabaseUnusableError` if it is damaged or another program wrote it.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Backend> {
  const db = openDatabase(options.dataDir, { onFatal: options.onFatal });
  try {
    return assemble(db, options);
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, options: EmbeddedOptions): Backend {
  const now = options.now ?? (() => new Date());
  const ledger = new SqliteDeliveryLedger(db);
  const sessions = new SqliteSessionStore(db);
  const personalStreams = new SqlitePersonalStreamStore(db);
  const marks = new SqliteDedupeMarks(db);
  const refusals = new SqliteRefusalStore(db);
  const auditEvents = new SqliteAuditEventStore(db);
  const eventLog = new SqliteEventLog(db, { marks, retention: options.retention, now });
  const control = new InProcessControlLog();
  const hookQueue = new SqliteHookQueue(db, { onWarning: options.onWarning ?? (() => undefined), now });
  return {
    kind: 'embedded',
    widgets: new SqliteWidgetStore(db),
    effects: new SqliteWidgetEffects(db),
    outboxes: new SqliteWidgetOutbox(db),
    ledger,
    quarantine: new SqliteQuarantineStore(db),
    refusals,
    runs: new SqliteRunRegistry(db),
    eventLog,
    hookQueue,
    control,
    podRequests: new InProcessPeerRequests(),
    workerRequests: new InProcessPeerRequests(),
    rateLimiter: new MemoryRateLimiter({ monotonicMs: () => performance.now() }),
    users: new SqliteUserStore(db),
    sessions,
    personalStreams,
    subscriptions: new SqliteGrantStore(db, subscriptionKind),
    integrations: new SqliteGrantStore(db, integrationKind),
    provisionTokens: new SqliteGrantStore(db, provisionTokenKind),
    auditEvents,
    serviceKeys: new SqliteServiceKeyStore(db),
    removeExpired: async (at) => {
      await sessions.removeExpired(at);
      await personalStreams.removeExpired(at);
      await ledger.deleteDoneBefore(new Date(at.getTime() - options.deliveryRetentionMs));
      await marks.removeExpired(at);
      await refusals.removeExpired(at);
      await auditEvents.deleteBefore(new Date(at.getTime() - options.auditRetentionMs));
    },
    close: async () => {
      await hookQueue.close();
      await eventLog.close();
      await control.close();
      db.close();
    },
  };
}
