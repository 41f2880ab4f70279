import process from 'node:process';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { Backend } from '../ports/backend.ts';
import { countDroppedLines } from '../runtime/log-output.ts';
import { readServiceVersion } from '../runtime/process-identity.ts';
import { acceptanceMetrics, processingMetrics, streamMetrics } from './data-path-metrics.ts';
import { callBuckets, declareIn, requestBuckets } from './histogram.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Which part of the service a process is. The embedded process is both. */
export type MetricsRole = 'api' | 'worker' | 'embedded';

/**
 * Metrics of prom-client that list every open socket at each scrape: with 10 000 streams, that stops the event loop for
 * milliseconds. `widget_connections_open` and `process_open_fds` say the same.
 */
const expensive = ['handles', 'requests', 'resources'].flatMap((noun) => [
  `nodejs_active_${noun}`,
  `nodejs_active_${noun}_total`,
]);

/**
 * Creates the metrics of a process in a registry of their own, so that tests can create several. All metrics exist in
 * every process. The registry, and so a scrape, has only those of the process's role.
 */
export function createMetrics(role: MetricsRole = 'embedded') {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of expensive) registry.removeSingleMetric(name);
  const forApi = role === 'worker' ? [] : [registry];
  const forWorker = role === 'api' ? [] : [registry];
  return {
    registry,
    ...processMetrics([registry]),
    ...storeMetrics([registry]),
    ...fileMetrics(role === 'embedded' ? [registry] : []),
    ...requestMetrics(forApi),
    ...streamMetrics(forApi),
    ...acceptanceMetrics(forApi),
    ...processingMetrics(forWorker),
  };
}

/** Metrics of every process. */
function processMetrics(registers: Registry[]) {
  const { counter, gauge } = declareIn(registers);
  return {
    buildInfo: gauge(
      'widget_build_info',
      'Always 1. The labels say what runs: version of the service, version of Node, backend.',
      ['version', 'node', 'backend'],
    ),
    logLinesDropped: new Counter({
      name: 'widget_log_lines_dropped_total',
      help: 'Log lines that could not be written: the disk is full, or nobody reads the log fast enough.',
      registers,
      collect() {
        this.reset();
        this.inc(countDroppedLines());
      },
    }),
    taskFailures: counter('widget_task_failures_total', 'Background tasks that failed and were restarted, by task.', [
      'task',
    ]),
    taskReady: gauge(
      'widget_task_ready',
      'Whether a background task makes progress: 1, or 0 if it makes the process not ready. By task.',
      ['task'],
    ),
  };
}

/** Metrics of the calls that a process makes to MongoDB and Redis, or to SQLite. */
function storeMetrics(registers: Registry[]) {
  const { counter, histogram } = declareIn(registers);
  return {
    storeCallSeconds: histogram(
      'widget_store_call_duration_seconds',
      'Time of a call to a store, in seconds, by port and operation. Includes the calls that failed. Of the operation next, a read of the newest events or revocations, it includes the wait for one: up to 2 s.',
      callBuckets,
      ['port', 'operation'],
    ),
    storeFailures: counter(
      'widget_store_call_failures_total',
      'Calls to a store that failed, by operation, error (unavailable; not-replicated: no replica confirms hooks; or other) and the port whose store failed.',
      ['port', 'operation', 'error'],
    ),
    rowsUnreadable: counter(
      'widget_store_unreadable_rows_total',
      'Damaged rows that a call to a store met, by port: each read of one counts.',
      ['port'],
    ),
  };
}

/** Metrics of the SQLite file, which only the embedded service has. */
function fileMetrics(registers: Registry[]) {
  const { gauge } = declareIn(registers);
  return {
    databaseBytes: gauge(
      'widget_database_bytes',
      'Size of the SQLite file and its write-ahead log, in bytes. It does not shrink when rows are removed. NaN: unknown.',
    ),
    databaseDiskFreeBytes: gauge(
      'widget_database_disk_free_bytes',
      'Bytes that the service may still write to the disk of the SQLite file. NaN: unknown.',
    ),
  };
}

/** Metrics of HTTP requests. */
function requestMetrics(registers: Registry[]) {
  const { counter, gauge, histogram } = declareIn(registers);
  return {
    httpRequests: counter(
      'widget_http_requests_total',
      'Responses, by method, route pattern and status. Streams that were opened are in widget_streams_opened_total.',
      ['method', 'route', 'status'],
    ),
    httpSeconds: histogram(
      'widget_http_request_duration_seconds',
      'Time from the end of the request headers to the end of the response, in seconds, by method, route pattern and class of status (2xx).',
      requestBuckets,
      ['method', 'route', 'status'],
    ),
    auditEventsLost: counter(
      'widget_audit_events_lost_total',
      'Audit events that could not be stored. Each is complete in a log line `audit.lost`.',
    ),
    identityProviderFailures: counter(
      'widget_identity_provider_failures_total',
      'Sign-ins, and checks of the provider, that the identity provider or its settings made impossible. The check runs at the start, and once a minute until it succeeds.',
    ),
    connectionsOpen: gauge(
      'widget_connections_open',
      'Connections open on the public interface of this pod, with or without a request, including open streams.',
    ),
    connectionsLimit: gauge(
      'widget_connections_limit',
      'How many connections this pod accepts at most (STREAMS_PER_POD and 10 000).',
    ),
    connectionsRefused: counter(
      'widget_connections_refused_total',
      'Connections refused, by reason: per-address, per-pod (both answered with 503), or reset (closed without an answer, while many are being refused).',
      ['reason'],
    ),
    rateLimitFallbacks: counter(
      'widget_rate_limit_fallback_total',
      'Rate limit decisions of this pod alone, because the shared limiter was unavailable or slow.',
    ),
  };
}

/** Sets `widget_build_info`. */
export function recordBuild({ buildInfo }: Pick<Metrics, 'buildInfo'>, backend: Backend['kind']): void {
  buildInfo.set({ version: readServiceVersion(), node: process.versions.node, backend }, 1);
}
