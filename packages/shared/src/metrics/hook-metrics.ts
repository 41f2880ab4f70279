import { Counter, Gauge, type Registry } from 'prom-client';
import { delayBuckets, Histogram, itemBuckets } from './histogram.ts';

export interface HookRegisters {
  readonly forApi: Registry[];
  readonly forWorker: Registry[];
}

/** Metrics of hooks, from the 202 to the event log. */
export function hookMetrics({ forApi, forWorker }: HookRegisters) {
  return { ...acceptanceMetrics(forApi), ...queueMetrics(forApi), ...processingMetrics(forWorker) };
}

function acceptanceMetrics(registers: Registry[]) {
  return {
    hooksAccepted: new Counter({ name: 'widget_hooks_accepted_total', help: 'Hooks accepted with 202.', registers }),
    hookBytes: new Counter({
      name: 'widget_hook_payload_bytes_total',
      help: 'Characters of the payloads of hooks accepted with 202: about the bytes that they take in the event log.',
      registers,
    }),
    hooksRefused: new Counter({
      name: 'widget_hooks_refused_total',
      help: 'Hooks refused, by problem code.',
      labelNames: ['code'],
      registers,
    }),
    hooksIgnored: new Counter({
      name: 'widget_hooks_ignored_total',
      help: 'Requests of foreign senders answered with 202 and ignored, as the mapping of their integration says.',
      registers,
    }),
    deliveriesRedriven: new Counter({
      name: 'widget_deliveries_redriven_total',
      help: 'Dead letters put back into the hook queue.',
      registers,
    }),
  };
}

/** The api has these, because it must show a queue that no worker consumes. Every pod shows the same queues. */
function queueMetrics(registers: Registry[]) {
  return {
    queueJobs: new Gauge({
      name: 'widget_hook_queue_jobs',
      help: 'Jobs in the hook queue, by queue. A job holds one hook or many. NaN: unknown.',
      labelNames: ['queue'],
      registers,
    }),
    queueAgeSeconds: new Gauge({
      name: 'widget_hook_queue_oldest_age_seconds',
      help: 'How long the oldest job has been in the hook queue, in seconds, by queue. 0 if it is empty. NaN: unknown.',
      labelNames: ['queue'],
      registers,
    }),
  };
}

function processingMetrics(registers: Registry[]) {
  return {
    runSeconds: new Histogram({
      name: 'widget_run_duration_seconds',
      help: 'Time of a run, in seconds, by outcome.',
      labelNames: ['outcome'],
      buckets: delayBuckets,
      registers,
    }),
    runItems: new Histogram({
      name: 'widget_run_items',
      help: 'Deliveries and nudges of a run.',
      buckets: itemBuckets,
      registers,
    }),
    jobsStarted: new Counter({
      name: 'widget_jobs_started_total',
      help: 'Jobs started, by start: first, or again after a crash or a release.',
      labelNames: ['start'],
      registers,
    }),
    eventsAppended: new Counter({
      name: 'widget_events_appended_total',
      help: 'Events appended to the event log by this process.',
      registers,
    }),
    eventPublishSeconds: new Histogram({
      name: 'widget_event_publish_delay_seconds',
      help: 'Time from the acceptance of a hook or creation to the end of the run that appended its event, in seconds. Needs synchronized clocks.',
      buckets: delayBuckets,
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
    outboxAgeSeconds: new Gauge({
      name: 'widget_outbox_oldest_age_seconds',
      help: 'Age of the oldest entry in an overdue outbox, in seconds, at the last complete scan. 0 if none is overdue. NaN: unknown.',
      registers,
    }),
  };
}
