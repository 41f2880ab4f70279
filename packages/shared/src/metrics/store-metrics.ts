import { Counter, Gauge, type Registry } from 'prom-client';
import { callBuckets, Histogram } from './histogram.ts';

/** Metrics of the calls that a process makes to MongoDB and Redis, or to SQLite. */
export function storeMetrics(registers: Registry[]) {
  return {
    storeCallSeconds: new Histogram({
      name: 'widget_store_call_duration_seconds',
      help: 'Time of a call to a store, in seconds, by port and operation. Includes the calls that failed. Of the operation next, a read of the newest events or revocations, it includes the wait for one: up to 2 s.',
      labelNames: ['port', 'operation'],
      buckets: callBuckets,
      registers,
    }),
    storeFailures: new Counter({
      name: 'widget_store_call_failures_total',
      help: 'Calls to a store that failed, by operation, error (unavailable; not-replicated: no replica confirms hooks; or other) and the port whose store failed.',
      labelNames: ['port', 'operation', 'error'],
      registers,
    }),
    rowsUnreadable: new Counter({
      name: 'widget_store_unreadable_rows_total',
      help: 'Damaged rows that a call to a store met, by port: each read of one counts.',
      labelNames: ['port'],
      registers,
    }),
  };
}

/** Metrics of the SQLite file, which only the embedded service has. */
export function fileMetrics(registers: Registry[]) {
  return {
    databaseBytes: new Gauge({
      name: 'widget_database_bytes',
      help: 'Size of the SQLite file and its write-ahead log, in bytes. It does not shrink when rows are removed. NaN: unknown.',
      registers,
    }),
    databaseDiskFreeBytes: new Gauge({
      name: 'widget_database_disk_free_bytes',
      help: 'Bytes that the service may still write to the disk of the SQLite file. NaN: unknown.',
      registers,
    }),
  };
}
