import { Counter, Gauge, type Registry } from 'prom-client';
import { delayBuckets, Histogram } from './histogram.ts';

/** Metrics of streams, and of how a pod reads the event log. */
export function streamMetrics(registers: Registry[]) {
  return { ...connectionMetrics(registers), ...logMetrics(registers) };
}

function connectionMetrics(registers: Registry[]) {
  return {
    streamsOpen: new Gauge({ name: 'widget_streams_open', help: 'Streams open on this pod.', registers }),
    streamsLimit: new Gauge({
      name: 'widget_streams_limit',
      help: 'How many streams this pod opens at most (STREAMS_PER_POD).',
      registers,
    }),
    streamsOpened: new Counter({
      name: 'widget_streams_opened_total',
      help: 'Streams opened, by start: fresh (at the end of the log), resumed (nothing missing), gap (events missing).',
      labelNames: ['start'],
      registers,
    }),
    streamGaps: new Counter({
      name: 'widget_stream_gaps_total',
      help: 'Streams that began with stream.gap, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    streamsRefused: new Counter({
      name: 'widget_streams_refused_total',
      help: 'Streams that ended before they were open, by the reason in stream.closing.',
      labelNames: ['reason'],
      registers,
    }),
    streamsClosed: new Counter({
      name: 'widget_streams_closed_total',
      help: 'Open streams that ended, by reason: client-left, or the reason in stream.closing.',
      labelNames: ['reason'],
      registers,
    }),
    eventsSent: new Counter({
      name: 'widget_stream_events_sent_total',
      help: 'Events written to streams, counted once per stream.',
      registers,
    }),
    streamBytesSent: new Counter({
      name: 'widget_stream_sent_bytes_total',
      help: 'Bytes of events written to streams.',
      registers,
    }),
    streamUnsentBytes: new Gauge({
      name: 'widget_stream_unsent_bytes',
      help: 'Bytes written to streams that the operating system has not accepted yet.',
      registers,
    }),
    streamsBackpressured: new Gauge({
      name: 'widget_streams_backpressured',
      help: 'Open streams that have unsent bytes: their clients read too slowly now.',
      registers,
    }),
  };
}

function logMetrics(registers: Registry[]) {
  return {
    eventDeliverySeconds: new Histogram({
      name: 'widget_event_delivery_delay_seconds',
      help: 'Time from the acceptance of a hook or creation until this pod wrote its event to its open streams, in seconds. Needs synchronized clocks.',
      buckets: delayBuckets,
      registers,
    }),
    tailHeldBackSeconds: new Counter({
      name: 'widget_tail_held_back_seconds_total',
      help: 'Seconds for which the pod held new events back, because it could not tell which streams were revoked.',
      registers,
    }),
    tailLagEvents: new Gauge({
      name: 'widget_tail_lag_events',
      help: 'How many events this pod is behind the end of the event log. NaN: unknown.',
      registers,
    }),
    logLimitBytes: new Gauge({
      name: 'widget_event_log_limit_bytes',
      help: 'Bytes of events that the event log keeps at most (EVENT_RETENTION_BYTES).',
      registers,
    }),
    logEvents: new Gauge({
      name: 'widget_event_log_events',
      help: 'Events in the event log. NaN: unknown.',
      registers,
    }),
    logAgeSeconds: new Gauge({
      name: 'widget_event_log_oldest_age_seconds',
      help: 'Age of the position before the oldest event in the log, in seconds: a client that was away for less than this misses nothing. NaN: unknown.',
      registers,
    }),
  };
}
