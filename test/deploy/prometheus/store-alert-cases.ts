import { type AlertCase, after, both, other, risesWhileFault, unknown, whileFault } from './alert-case.ts';
import { pod, type SeriesValues, worker } from './healthy-series.ts';
import { counter, gauge, missing } from './series-values.ts';

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
