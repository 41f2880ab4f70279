import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of a process in a registry of their own, so that tests can create several. */
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
      help: 'Background tasks that failed and were restarted, by task.',
      labelNames: ['task'],
      registers,
    }),
  };
}

function requestMetrics(registers: Registry[]) {
  return {
    httpRequests: new Counter({
      name: 'widget_http_requests_total',
      help: 'Responses, by method, route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    hooksAccepted: new Counter({ name: 'widget_hooks_accepted_total', help: 'Hooks accepted with 202.', registers }),
    hooksRefused: new Counter({
      name: 'widget_hooks_refused_total',
      help: 'Hooks refused, by problem code.',
      labelNames: ['code'],
      registers,
    }),
    rateLimitFallbacks: new Counter({
      name: 'widget_rate_limit_fallback_total',
      help: 'Rate limit decisions of this pod alone, because the shared limiter was unavailable or slow.',
      registers,
    }),
  };
}

function processingMetrics(registers: Registry[]) {
  return {
    batches: new Counter({
      name: 'widget_batches_total',
      help: 'Runs of batches, by outcome.',
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
      help: 'Deliveries dropped as duplicates.',
      registers,
    }),
    deliveriesDead: new Counter({
      name: 'widget_deliveries_dead_total',
      help: 'Deliveries that became dead letters, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    deliveriesRedriven: new Counter({
      name: 'widget_deliveries_redriven_total',
      help: 'Dead letters put back into the hook queue.',
      registers,
    }),
    textsQuarantined: new Counter({
      name: 'widget_queue_texts_quarantined_total',
      help: 'Texts of the hook queue put into quarantine, because no dead letter could be made of them.',
      registers,
    }),
    outboxesOverdue: new Counter({
      name: 'widget_outboxes_overdue_total',
      help: 'Overdue outboxes that the scanner put into jobs, counted again in each scan.',
      registers,
    }),
  };
}

function streamMetrics(registers: Registry[]) {
  return {
    streamsOpen: new Gauge({ name: 'widget_streams_open', help: 'Streams open on this pod.', registers }),
    streamsClosed: new Counter({
      name: 'widget_streams_closed_total',
      help: 'Streams closed, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    eventsSent: new Counter({
      name: 'widget_stream_events_sent_total',
      help: 'Events written to streams, counted once per stream.',
      registers,
    }),
  };
}
