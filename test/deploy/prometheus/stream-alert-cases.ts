import { type AlertCase, after, both, risesWhileFault, unknown, whileFault } from './alert-case.ts';
import { pod, worker } from './healthy-series.ts';
import { gauge, missing } from './series-values.ts';

export const streamCases: readonly AlertCase[] = [
  {
    fault: 'a pod is behind the log',
    interval: 1,
    series: { [`widget_tail_lag_events{${pod}}`]: whileFault(3, 5_000, 10) },
    firesAt: 25,
    firing: ['WidgetTailBehind ticket'],
    clearsAt: 32,
  },
  {
    fault: 'a pod holds events back half of the time',
    interval: 1,
    series: { [`widget_tail_held_back_seconds_total{${pod}}`]: risesWhileFault(30, 20, 0.1) },
    firesAt: 35,
    firing: ['WidgetEventsHeldBack ticket'],
    clearsAt: 47,
  },
  {
    fault: 'a pod uses nine tenths of its streams',
    interval: 1,
    series: { [`widget_streams_open{${pod}}`]: whileFault(5_000, 9_000, 30) },
    firesAt: 40,
    firing: ['WidgetStreamsNearLimit ticket'],
    clearsAt: 52,
  },
  {
    fault: 'a pod refuses streams',
    interval: 1,
    series: { [`widget_streams_refused_total{${pod},reason="overloaded"}`]: risesWhileFault(5, 20) },
    firesAt: 35,
    firing: ['WidgetStreamsNearLimit page'],
    clearsAt: 47,
  },
  {
    fault: 'the log drops events that are ten minutes old',
    interval: 1,
    series: both(pod, (labels) => ({
      [`widget_event_log_oldest_age_seconds{${labels}}`]: gauge([86_000, 20], [600, 150], [86_000, after]),
    })),
    firesAt: 150,
    firing: ['WidgetEventLogTooShort ticket'],
    clearsAt: 175,
  },
  {
    fault: 'a new log is young, and drops nothing',
    interval: 1,
    series: both(pod, (labels) => ({
      [`widget_event_log_oldest_age_seconds{${labels}}`]: Array.from({ length: after }, (_, minute) => 60 * minute),
    })),
    firesAt: 55,
    firing: [],
    clearsAt: 300,
  },
  {
    fault: 'the log lost events',
    interval: 1,
    series: { [`widget_stream_gaps_total{${pod},reason="epoch-changed"}`]: risesWhileFault(10, 1) },
    firesAt: 25,
    firing: ['WidgetSubscribersMissEvents ticket'],
    clearsAt: 40,
  },
  {
    fault: 'every tenth client that returns was away for too long',
    interval: 1,
    series: { [`widget_stream_gaps_total{${pod},reason="trimmed"}`]: risesWhileFault(60, 30, 1) },
    firesAt: 45,
    firing: ['WidgetSubscribersMissEvents ticket'],
    clearsAt: 120,
  },
];

export const processCases: readonly AlertCase[] = [
  {
    fault: 'both workers are down',
    interval: 1,
    series: both(worker, (labels) => ({ [`up{${labels}}`]: whileFault(1, 0, 10) })),
    firesAt: 27,
    firing: ['WidgetProcessDown ticket', 'WidgetServiceDown page'],
    clearsAt: 32,
  },
  {
    fault: 'Prometheus has no api target',
    interval: 1,
    series: both(pod, (labels) => ({ [`up{${labels}}`]: [...gauge([1, 20]), ...missing(20), ...gauge([1, after])] })),
    firesAt: 35,
    firing: ['WidgetServiceDown page'],
    clearsAt: 42,
  },
  {
    fault: 'no pod is ready',
    interval: 1,
    series: both(pod, (labels) => ({ [`widget_task_ready{${labels},task="any"}`]: whileFault(1, 0, 10) })),
    firesAt: 27,
    firing: ['WidgetServiceDown page', 'WidgetTaskNotReady ticket'],
    clearsAt: 32,
  },
  {
    fault: 'one pod is not ready',
    interval: 1,
    series: { [`widget_task_ready{${pod},task="any"}`]: whileFault(1, 0, 10) },
    firesAt: 27,
    firing: ['WidgetTaskNotReady ticket'],
    clearsAt: 32,
  },
  {
    fault: 'one worker is down',
    interval: 1,
    series: { [`up{${worker}}`]: whileFault(1, 0, 10) },
    firesAt: 27,
    firing: ['WidgetProcessDown ticket'],
    clearsAt: 32,
  },
  {
    fault: 'a worker restarts three times',
    interval: 1,
    series: { [`process_start_time_seconds{${worker}}`]: gauge([1, 20], [2, 2], [3, 2], [4, after]) },
    firesAt: 30,
    firing: ['WidgetProcessRestarts ticket'],
    clearsAt: 56,
  },
  {
    fault: 'a task fails five times',
    interval: 1,
    series: { [`widget_task_failures_total{${worker},task="any"}`]: risesWhileFault(1, 5) },
    firesAt: 28,
    firing: ['WidgetTaskFails ticket'],
    clearsAt: 42,
  },
  {
    fault: 'a request is answered with 500',
    interval: 1,
    series: {
      [`widget_http_requests_total{${pod},method="GET",route="/api/v1/widgets",status="500"}`]: risesWhileFault(1, 1),
    },
    firesAt: 25,
    firing: ['WidgetInternalErrors ticket'],
    clearsAt: 40,
  },
  {
    fault: 'one client opens more connections than it may, for a minute',
    interval: 1,
    series: { [`widget_connections_refused_total{${pod},reason="per-address"}`]: risesWhileFault(40, 1) },
    firesAt: 22,
    firing: ['WidgetConnectionsRefused ticket'],
    clearsAt: 40,
  },
  {
    fault: 'two connections of a client are refused: too few to look at',
    interval: 1,
    series: { [`widget_connections_refused_total{${pod},reason="per-address"}`]: risesWhileFault(2, 1) },
    firesAt: 22,
    firing: [],
    clearsAt: 40,
  },
  {
    fault: 'the event loop of a pod is delayed',
    interval: 1,
    series: { [`nodejs_eventloop_lag_p99_seconds{${pod}}`]: whileFault(0.01, 0.8, 10) },
    firesAt: 27,
    firing: ['WidgetEventLoopDelayed ticket'],
    clearsAt: 32,
  },
];

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
