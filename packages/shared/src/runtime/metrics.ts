import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** The process's own figures and the first counters of the path; a registry of its own, so that tests can have many. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    ...requestMetrics(registers),
    ...processingMetrics(registers),
    ...streamMetrics(registers),
    taskFailures: new Counter({
      name: 'widget_task_failures_total',
      help: 'Times a background task failed and was started again.',
      labelNames: ['task'],
      registers,
    }),
  };
}

function requestMetrics(registers: Registry[]) {
  return {
    httpRequests: new Counter({
      name: 'widget_http_requests_total',
      help: 'Requests answered, by route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    hooksAccepted: new Counter({ name: 'widget_hooks_accepted_total', help: 'Hooks answered 202.', registers }),
    hooksRefused: new Counter({
      name: 'widget_hooks_refused_total',
      help: 'Hooks answered otherwise, by the code of the problem.',
      labelNames: ['code'],
      registers,
    }),
    rateLimitFallbacks: new Counter({
      name: 'widget_rate_limit_fallback_total',
      help: 'Rate limits decided by this pod alone, because the shared limiter was away or slow.',
      registers,
    }),
  };
}

function processingMetrics(registers: Registry[]) {
  return {
    batches: new Counter({
      name: 'widget_batches_total',
      help: 'Runs of batches, by how they ended.',
      labelNames: ['outcome'],
      registers,
    }),
    eventsAppended: new Counter({
      name: 'widget_events_appended_total',
      help: 'Events appended to the event log by this process.',
      registers,
    }),
    deliveriesDuplicate: new Counter({
      name: 'widget_deliveries_duplicate_total',
      help: 'Deliveries dropped as repetitions.',
      registers,
    }),
    deliveriesDead: new Counter({
      name: 'widget_deliveries_dead_total',
      help: 'Deliveries given up.',
      labelNames: ['reason'],
      registers,
    }),
    deliveriesRedriven: new Counter({
      name: 'widget_deliveries_redriven_total',
      help: 'Dead deliveries that were queued to be tried again.',
      registers,
    }),
    textsQuarantined: new Counter({
      name: 'widget_queue_texts_quarantined_total',
      help: 'Texts in the hook queue that could not even become dead letters.',
      registers,
    }),
    outboxesOverdue: new Counter({
      name: 'widget_outboxes_overdue_total',
      help: 'Outboxes that the scanner found left behind.',
      registers,
    }),
  };
}

function streamMetrics(registers: Registry[]) {
  return {
    streamsOpen: new Gauge({ name: 'widget_streams_open', help: 'Streams open on this pod.', registers }),
    streamsClosed: new Counter({
      name: 'widget_streams_closed_total',
      help: 'Streams ended, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    eventsSent: new Counter({
      name: 'widget_stream_events_sent_total',
      help: 'Events written to streams, each connection counted.',
      registers,
    }),
  };
}
