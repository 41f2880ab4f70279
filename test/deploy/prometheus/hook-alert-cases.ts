import {
  type AlertCase,
  after,
  both,
  counter,
  gauge,
  missing,
  other,
  pod,
  risesWhileFault,
  unknown,
  whileFault,
  worker,
} from './healthy-series.ts';

export const promiseCases: readonly AlertCase[] = [
  {
    fault: 'a tenth of the hooks fails for 30 minutes',
    interval: 1,
    series: { [`widget_hooks_refused_total{${pod},code="unavailable"}`]: risesWhileFault(120, 30) },
    firesAt: 45,
    firing: ['WidgetHooksNotAccepted page', 'WidgetHooksNotAccepted ticket'],
    clearsAt: 410,
  },
  {
    fault: 'a few hooks of a quiet night fail: too few to wake someone',
    interval: 1,
    series: {
      ...both(pod, (labels) => ({ [`widget_hooks_accepted_total{${labels}}`]: counter([0.1, 420]) })),
      [`widget_hooks_refused_total{${pod},code="unavailable"}`]: risesWhileFault(0.1, 30),
    },
    firesAt: 45,
    firing: ['WidgetHooksNotAccepted ticket'],
    clearsAt: 415,
  },
  {
    fault: 'half a percent of the hooks fails for eight hours',
    interval: 5,
    series: { [`widget_hooks_refused_total{${pod},code="internal"}`]: risesWhileFault(6, 96) },
    firesAt: 500,
    firing: ['WidgetHooksNotAccepted ticket'],
    clearsAt: 1_200,
  },
  {
    fault: 'a quarter of the events is late for 30 minutes; Prometheus 3 writes the bucket as 5.0',
    interval: 1,
    series: both(pod, (labels) => ({
      [`widget_event_delivery_delay_seconds_bucket{${labels},le="5"}`]: [],
      [`widget_event_delivery_delay_seconds_bucket{${labels},le="5.0"}`]: counter(
        [1_200, 20],
        [900, 30],
        [1_200, after],
      ),
    })),
    firesAt: 45,
    firing: ['WidgetEventsLate page', 'WidgetEventsLate ticket'],
    clearsAt: 415,
  },
  {
    fault: 'two percent of the events are late for eight hours',
    interval: 5,
    series: both(pod, (labels) => ({
      [`widget_event_delivery_delay_seconds_bucket{${labels},le="5"}`]: counter(
        [1_200, 20],
        [1_176, 96],
        [1_200, after],
      ),
    })),
    firesAt: 500,
    firing: ['WidgetEventsLate ticket'],
    clearsAt: 1_200,
  },
];

export const hookCases: readonly AlertCase[] = [
  {
    fault: 'no worker consumes; one pod does not know the age',
    interval: 1,
    series: {
      [`widget_hook_queue_oldest_age_seconds{${pod},queue="hooks-4-0"}`]: whileFault(0, 90, 10),
      [`widget_hook_queue_oldest_age_seconds{${other(pod)},queue="hooks-4-0"}`]: whileFault(0, unknown, 10),
    },
    firesAt: 25,
    firing: ['WidgetHooksWait page'],
    clearsAt: 32,
  },
  {
    fault: 'one delivery becomes a dead letter',
    interval: 1,
    series: { [`widget_deliveries_dead_total{${worker},reason="store-refused"}`]: risesWhileFault(1, 1) },
    firesAt: 25,
    firing: ['WidgetDeadLetters ticket'],
    clearsAt: 40,
  },
  {
    fault: 'a new worker makes a dead letter before its first scrape',
    interval: 1,
    series: {
      [`widget_deliveries_dead_total{${worker.replace('worker-0', 'worker-2')},reason="store-refused"}`]: [
        ...missing(21),
        ...gauge([1, after]),
      ],
    },
    firesAt: 25,
    firing: ['WidgetDeadLetters ticket'],
    clearsAt: 40,
  },
  {
    fault: 'one text of the queue is quarantined',
    interval: 1,
    series: { [`widget_queue_texts_quarantined_total{${worker}}`]: risesWhileFault(1, 1) },
    firesAt: 25,
    firing: ['WidgetQueueTextsQuarantined ticket'],
    clearsAt: 40,
  },
  {
    fault: 'an outbox stays overdue',
    interval: 1,
    series: { [`widget_outbox_oldest_age_seconds{${worker}}`]: whileFault(0, 300, 10) },
    firesAt: 27,
    firing: ['WidgetOutboxesOverdue page'],
    clearsAt: 32,
  },
  {
    fault: 'a run fails for an unexpected reason',
    interval: 1,
    series: { [`widget_run_duration_seconds_count{${worker},outcome="failed"}`]: risesWhileFault(1, 1) },
    firesAt: 25,
    firing: ['WidgetRunsFail ticket'],
    clearsAt: 40,
  },
];
