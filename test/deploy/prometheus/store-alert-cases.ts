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
  type SeriesValues,
  unknown,
  whileFault,
  worker,
} from './healthy-series.ts';

export const auditCases: readonly AlertCase[] = [
  {
    fault: 'one audit event is lost',
    interval: 1,
    series: { [`widget_audit_events_lost_total{${pod}}`]: risesWhileFault(1, 1) },
    firesAt: 25,
    firing: ['WidgetAuditEventsLost ticket'],
    clearsAt: 40,
  },
  {
    fault: 'a new pod loses an audit event before its first scrape',
    interval: 1,
    series: {
      [`widget_audit_events_lost_total{${pod.replace('api-0', 'api-2')}}`]: [...missing(21), ...gauge([1, after])],
    },
    firesAt: 25,
    firing: ['WidgetAuditEventsLost ticket'],
    clearsAt: 40,
  },
];

export const storeCases: readonly AlertCase[] = ['eventLog', 'widgets'].map((port) => ({
  fault: `half of the calls to ${port} get no answer; the gauges are NaN`,
  interval: 1,
  series: {
    ...both(pod, (labels) => ({
      [`widget_store_call_failures_total{${labels},port="${port}",operation="any",error="unavailable"}`]:
        risesWhileFault(50, 10),
      [`widget_hook_queue_oldest_age_seconds{${labels},queue="hooks-4-0"}`]: whileFault(0, unknown, 10),
      [`widget_tail_lag_events{${labels}}`]: whileFault(0, unknown, 10),
      [`widget_event_log_oldest_age_seconds{${labels}}`]: whileFault(86_000, unknown, 10),
    })),
    [`widget_outbox_oldest_age_seconds{${worker}}`]: whileFault(0, unknown, 10),
  },
  firesAt: 28,
  firing: ['WidgetStoreUnavailable page'],
  clearsAt: 38,
}));

/** The labels of both pods and both workers. */
const processes = [pod, other(pod), worker, other(worker)];
const everywhere = (toSeries: (labels: string) => SeriesValues): SeriesValues =>
  Object.assign({}, ...processes.map(toSeries));

export const outageCases: readonly AlertCase[] = [
  {
    fault: 'MongoDB is gone: each call waits for it, so there are far fewer calls than before',
    interval: 0.25,
    series: everywhere((labels) => ({
      [`widget_store_call_duration_seconds_count{${labels},port="widgets",operation="any"}`]: counter(
        [100, 20],
        [5, 24],
        [100, after],
      ),
      [`widget_store_call_failures_total{${labels},port="widgets",operation="any",error="unavailable"}`]:
        risesWhileFault(5, 24),
    })),
    // The fault begins at 5 and ends at 11.
    firesAt: 9,
    firing: ['WidgetStoreUnavailable page'],
    // One interval more than the 30 s of the rule: promtool may evaluate an alert before the series that it reads.
    clearsAt: 11.75,
  },
  {
    fault: 'Redis restarts within a minute: it is back before anyone is woken',
    interval: 0.25,
    series: everywhere((labels) => ({
      [`widget_store_call_failures_total{${labels},port="eventLog",operation="any",error="unavailable"}`]:
        risesWhileFault(100, 4),
    })),
    firesAt: 8,
    firing: [],
    clearsAt: 15,
  },
];

export const controlCases: readonly AlertCase[] = [
  {
    fault: 'the control log has a wrong type: few calls fail, and the rest of Redis answers',
    interval: 0.5,
    series: both(pod, (labels) => ({
      [`widget_store_call_failures_total{${labels},port="control",operation="next",error="unavailable"}`]:
        risesWhileFault(60, 10),
      [`widget_store_call_duration_seconds_count{${labels},port="eventLog",operation="any"}`]: counter([2_000, after]),
    })),
    firesAt: 13.5,
    firing: ['WidgetRevocationsRefused page'],
    clearsAt: 18,
  },
];

export const diskCases: readonly AlertCase[] = [
  {
    fault: 'the disk of a file of 4 GB has 0.9 GB left',
    interval: 1,
    series: { [`widget_database_disk_free_bytes{${pod}}`]: whileFault(2e9, 0.9e9, 10) },
    firesAt: 28,
    firing: ['WidgetDatabaseDiskFull ticket'],
    clearsAt: 33,
  },
  {
    fault: 'the disk of a small file has 200 MB left',
    interval: 1,
    series: {
      [`widget_database_bytes{${pod}}`]: gauge([1e6, after]),
      [`widget_database_disk_free_bytes{${pod}}`]: whileFault(2e9, 2e8, 10),
    },
    firesAt: 28,
    firing: ['WidgetDatabaseDiskFull ticket'],
    clearsAt: 33,
  },
];

export const floodCases: readonly AlertCase[] = [
  {
    fault: 'somebody posts 1 000 hooks of 4 KiB a second with a leaked token, for ten minutes',
    interval: 0.5,
    series: {
      [`widget_hooks_accepted_total{${pod}}`]: risesWhileFault(30_000, 20, 600),
      [`widget_hook_payload_bytes_total{${pod}}`]: risesWhileFault(30_000 * 4_096, 20, 120_000),
    },
    // The fault begins at 10: before the log of 1 GiB is full, somebody knows.
    firesAt: 12.5,
    firing: ['WidgetEventLogFloods page'],
    clearsAt: 24,
  },
];

export const rateLimiterCases: readonly AlertCase[] = [
  {
    fault: 'a pod limits rates alone',
    interval: 1,
    series: { [`widget_rate_limit_fallback_total{${pod}}`]: risesWhileFault(60, 20) },
    firesAt: 36,
    firing: ['WidgetRateLimiterFallsBack ticket'],
    clearsAt: 47,
  },
];
