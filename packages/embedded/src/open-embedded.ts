import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { type Backend, mapEntities } from '@widget-service/shared/ports/backend.ts';
import { type EventRetention, toEventRetention } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Database, Expiring } from './database.ts';
import { InProcessControlLog } from './in-process-control-log.ts';
import { openDatabase } from './open-database.ts';
import { SqliteCollection } from './sqlite-collection.ts';
import { SqliteDeliveryLedger } from './sqlite-delivery-ledger.ts';
import { SqliteEventLog } from './sqlite-event-log.ts';
import { SqliteHookCountStore } from './sqlite-hook-count-store.ts';
import { SqliteHookQueue } from './sqlite-hook-queue.ts';
import { SqliteRunRegistry } from './sqlite-run-registry.ts';
import { SqliteWidgetEffects, SqliteWidgetOutbox } from './sqlite-widget-effects.ts';
import { SqliteWidgetStore } from './sqlite-widget-store.ts';

/** The settings that the backend reads, and what it tells the process. */
export interface EmbeddedOptions
  extends Pick<Settings, 'DATA_DIR' | 'EVENT_RETENTION_BYTES' | 'DELIVERY_RETENTION_MS'> {
  readonly onWarning?: (message: string, details?: object) => void;
  /** Called after the start if the file is damaged or a sync to the disk has failed. The process must end. */
  readonly onFatal?: (error: Error) => void;
  /** Only tests give these. */
  readonly retention?: EventRetention;
  readonly now?: () => Date;
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
  const db = openDatabase(options.DATA_DIR, options.onFatal);
  try {
    return assemble(db, options);
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: Database, options: EmbeddedOptions): Backend {
  const now = options.now ?? (() => new Date());
  const { onWarning } = options;
  const ledger = new SqliteDeliveryLedger(db, onWarning);
  const expiring: Expiring[] = [];
  const collections = mapEntities((entity) => {
    const collection = new SqliteCollection(db, entity, onWarning);
    expiring.push(collection);
    return collection;
  });
  const hookCounts = new SqliteHookCountStore(db, onWarning);
  const retention = options.retention ?? toEventRetention(options.EVENT_RETENTION_BYTES);
  const eventLog = new SqliteEventLog(db, retention, now, onWarning);
  const control = new InProcessControlLog();
  const hookQueue = new SqliteHookQueue(db, { onWarning: options.onWarning ?? (() => undefined), now });
  return {
    kind: 'embedded',
    ...collections,
    widgets: new SqliteWidgetStore(db, onWarning),
    effects: new SqliteWidgetEffects(db, onWarning),
    outboxes: new SqliteWidgetOutbox(db),
    ledger,
    hookCounts,
    runs: new SqliteRunRegistry(db),
    eventLog,
    hookQueue,
    control,
    // There is no other process, and this one knows its own state.
    processStates: { write: async () => undefined, list: async () => [], remove: async () => undefined },
    rateLimiter: new MemoryRateLimiter(systemClock),
    removeExpired: async (at) => {
      for (const store of [...expiring, eventLog.marks, hookCounts]) await store.removeExpired(at);
      await ledger.deleteDoneBefore(new Date(at.getTime() - options.DELIVERY_RETENTION_MS));
    },
    findMismatch: async () => null,
    close: async () => {
      await hookQueue.close();
      await eventLog.close();
      await control.close();
      db.close();
    },
  };
}
