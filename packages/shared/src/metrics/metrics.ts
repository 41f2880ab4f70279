import process from 'node:process';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { Backend } from '../ports/backend.ts';
import { countDroppedLines } from '../runtime/log-output.ts';
import { readServiceVersion } from '../runtime/process-identity.ts';
import { callBuckets, declareIn, delayBuckets, itemBuckets, requestBuckets } from './histogram.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Which part of the service a process is. The embedded process is both. */
export type MetricsRole = 'api' | 'worker' | 'embedded';

/**
 * Creates the metrics of a process in a registry of their own, so that tests can create several. Code may set any
 * metric in any process: a scrape shows only those of the process's role.
 */
export function createMetrics(role: MetricsRole = 'embedded') {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // These list every open socket at each scrape: with 10 000 streams, that stops the event loop for milliseconds.
  // `widget_connections_open` and `process_open_fds` say the same.
  const expensive = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('nodejs_active_'));
  for (const { name } of expensive) registry.removeSingleMetric(name);
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

/** Metrics of streams, and of how a pod reads the event log. */
function streamMetrics(registers: Registry[]) {
  const { counter, gauge, histogram } = declareIn(registers);
  return {
    streamsOpen: gauge('widget_streams_open', 'Streams open on this pod.'),
    streamsLimit: gauge('widget_streams_limit', 'How many streams this pod opens at most (STREAMS_PER_POD).'),
    streamsOpened: counter(
      'widget_streams_opened_total',
      'Streams opened, by start: fresh (at the end of the log), resumed (nothing missing), gap (events missing).',
      ['start'],
    ),
    streamGaps: counter('widget_stream_gaps_total', 'Streams that began with stream.gap, by reason.', ['reason']),
    streamsRefused: counter(
      'widget_streams_refused_total',
      'Streams that ended before they were open, by the reason in stream.closing.',
      ['reason'],
    ),
    streamsClosed: counter(
      'widget_streams_closed_total',
      'Open streams that ended, by reason: client-left, or the reason in stream.closing.',
      ['reason'],
    ),
    eventsSent: counter('widget_stream_events_sent_total', 'Events written to streams, counted once per stream.'),
    streamBytesSent: counter('widget_stream_sent_bytes_total', 'Bytes of events written to streams.'),
    streamUnsentBytes: gauge(
      'widget_stream_unsent_bytes',
      'Bytes written to streams that the operating system has not accepted yet.',
    ),
    streamsBackpressured: gauge(
      'widget_streams_backpressured',
      'Open streams that have unsent bytes: their clients read too slowly now.',
    ),
    eventDeliverySeconds: histogram(
      'widget_event_delivery_delay_seconds',
      'Time from the acceptance of a hook or creation until this pod wrote its event to its open streams, in seconds. Needs synchronized clocks.',
      delayBuckets,
    ),
    tailHeldBackSeconds: counter(
      'widget_tail_held_back_seconds_total',
      'Seconds for which the pod held new events back, because it could not tell which streams were revoked.',
    ),
    tailLagEvents: gauge(
      'widget_tail_lag_events',
      'How many events this pod is behind the end of the event log. NaN: unknown.',
    ),
    logLimitBytes: gauge(
      'widget_event_log_limit_bytes',
      'Bytes of events that the event log keeps at most (EVENT_RETENTION_BYTES).',
    ),
    logEvents: gauge('widget_event_log_events', 'Events in the event log. NaN: unknown.'),
    logAgeSeconds: gauge(
      'widget_event_log_oldest_age_seconds',
      'Age of the position before the oldest event in the log, in seconds: a client that was away for less than this misses nothing. NaN: unknown.',
    ),
  };
}

/** Metrics of hooks until their 202, and of the queue. */
function acceptanceMetrics(registers: Registry[]) {
  const { counter, gauge } = declareIn(registers);
  return {
    hooksAccepted: counter('widget_hooks_accepted_total', 'Hooks accepted with 202.'),
    hookBytes: counter(
      'widget_hook_payload_bytes_total',
      'Characters of the payloads of hooks accepted with 202: about the bytes that they take in the event log.',
    ),
    hooksRefused: counter('widget_hooks_refused_total', 'Hooks refused, by problem code.', ['code']),
    hooksIgnored: counter(
      'widget_hooks_ignored_total',
      'Requests of foreign senders answered with 202 and ignored, as the mapping of their integration says.',
    ),
    deliveriesRedriven: counter('widget_deliveries_redriven_total', 'Dead letters put back into the hook queue.'),
    // The api has these two, because it must show a queue that no worker consumes. Every pod shows the same queues.
    queueJobs: gauge(
      'widget_hook_queue_jobs',
      'Jobs in the hook queue, by queue. A job holds one hook or many. NaN: unknown.',
      ['queue'],
    ),
    queueAgeSeconds: gauge(
      'widget_hook_queue_oldest_age_seconds',
      'How long the oldest job has been in the hook queue, in seconds, by queue. 0 if it is empty. NaN: unknown.',
      ['queue'],
    ),
  };
}

/** Metrics of hooks from the queue to the event log. */
function processingMetrics(registers: Registry[]) {
  const { counter, gauge, histogram } = declareIn(registers);
  return {
    runSeconds: histogram('widget_run_duration_seconds', 'Time of a run, in seconds, by outcome.', delayBuckets, [
      'outcome',
    ]),
    runItems: histogram('widget_run_items', 'Deliveries and nudges of a run.', itemBuckets),
    jobsStarted: counter(
      'widget_jobs_started_total',
      'Jobs started, by start: first, or again after a crash or a release.',
      ['start'],
    ),
    eventsAppended: counter('widget_events_appended_total', 'Events appended to the event log by this process.'),
    eventPublishSeconds: histogram(
      'widget_event_publish_delay_seconds',
      'Time from the acceptance of a hook or creation to the end of the run that appended its event, in seconds. Needs synchronized clocks.',
      delayBuckets,
    ),
    deliveriesDuplicate: counter('widget_deliveries_duplicate_total', 'Deliveries dropped as duplicates.'),
    deliveriesDead: counter('widget_deliveries_dead_total', 'Deliveries that became dead letters, by reason.', [
      'reason',
    ]),
    textsQuarantined: counter(
      'widget_queue_texts_quarantined_total',
      'Texts of the hook queue put into quarantine, because no dead letter could be made of them.',
    ),
    outboxesOverdue: counter(
      'widget_outboxes_overdue_total',
      'Overdue outboxes that the scanner put into jobs, counted again in each scan.',
    ),
    outboxAgeSeconds: gauge(
      'widget_outbox_oldest_age_seconds',
      'Age of the oldest entry in an overdue outbox, in seconds, at the last complete scan. 0 if none is overdue. NaN: unknown.',
    ),
  };
}
