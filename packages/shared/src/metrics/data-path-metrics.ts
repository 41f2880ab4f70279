import type { Registry } from 'prom-client';
import { declareIn, delayBuckets, itemBuckets } from './histogram.ts';

/** Metrics of streams, and of how a pod reads the event log. */
export function streamMetrics(registers: Registry[]) {
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
export function acceptanceMetrics(registers: Registry[]) {
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
export function processingMetrics(registers: Registry[]) {
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
