import { type Dashboard, graph, quantile, table } from './grafana.ts';

/** The calls to MongoDB and Redis, or to SQLite. */
export const backendsDashboard: Dashboard = {
  uid: 'widget-service-backends',
  title: 'Widget Service: backends',
  description: 'The calls of all processes to MongoDB and Redis, or to SQLite.',
  rows: {
    Failures: [
      graph('Share of calls without an answer', 'percentunit', 'Above 10 %, the store counts as unavailable.')
        .line('max by (store) (namespace_store:widget_store_calls_unavailable:ratio_rate2m{NS})')
        .limits(0.01, 0.1),
      graph(
        'Failed calls, by port and error',
        'ops',
        'unavailable: no answer. other: the store rejected the call.',
      ).line('sum by (port, error) (rate(widget_store_call_failures_total{NS}[$__rate_interval]))'),
      graph('Failed calls, by process', 'ops', 'One process alone: its network. All: the store.').line(
        'sum by (component, instance) (rate(widget_store_call_failures_total{NS}[$__rate_interval]))',
      ),
      graph('Room for the SQLite file', 'bytes', 'Of the embedded service. The file never shrinks by itself.')
        .line('max by (instance) (widget_database_bytes{NS})', 'file {{instance}}')
        .line('max by (instance) (widget_database_disk_free_bytes{NS})', 'free on its disk {{instance}}'),
      graph(
        'Rate limits decided by a pod alone',
        'ops',
        'The shared limiter in Redis was unavailable, or slower than 100 ms.',
      )
        .line('sum(rate(widget_rate_limit_fallback_total{NS}[$__rate_interval]))', 'decisions')
        .limits(null, 0.1),
      graph(
        'Failures of the identity provider in 10 min',
        'short',
        'It does not answer, or its settings are wrong. The log line identity_provider.unusable, or that of the sign-in, says why.',
      )
        .line('sum(increase(widget_identity_provider_failures_total{NS}[10m]))', 'failures')
        .limits(null, 1),
      graph(
        'Audit events lost in 1 h',
        'short',
        'The store did not accept them. Each is complete in a log line audit.lost.',
      )
        .line('sum(increase(widget_audit_events_lost_total{NS}[1h]))', 'events')
        .limits(null, 1),
    ],
    Calls: [
      graph(
        'Calls, by port',
        'ops',
        'hookQueue, eventLog, control and rateLimiter are in Redis, the others in MongoDB.',
      ).line('sum by (port) (rate(widget_store_call_duration_seconds_count{NS}[$__rate_interval]))'),
      graph(
        'p99, by port',
        's',
        'Ports without calls have no line. Without the reads that wait for an event (next).',
      ).line(`${quantile(0.99, 'widget_store_call_duration_seconds', 'operation!="next"', 'port')} >= 0`),
      graph('p99 of the calls on the way of a hook', 's', 'From the queue to the event log.').line(
        `${quantile(0.99, 'widget_store_call_duration_seconds', 'port=~"hookQueue|ledger|effects|eventLog|outboxes",operation=~"enqueue|register|load|apply|append|markPublished|removePublished"', 'port, operation')} >= 0`,
      ),
      table('Busiest operations', 'ops', 'Calls per second within 5 minutes.').line(
        'topk(15, sum by (port, operation) (rate(widget_store_call_duration_seconds_count{NS}[5m])))',
      ),
      table(
        'Slowest operations',
        's',
        'Mean time within 5 minutes. Without the reads that wait for an event (next).',
      ).line(
        'topk(15, sum by (port, operation) (rate(widget_store_call_duration_seconds_sum{NS,operation!="next"}[5m])) / (sum by (port, operation) (rate(widget_store_call_duration_seconds_count{NS,operation!="next"}[5m])) > 0))',
      ),
    ],
  },
};
