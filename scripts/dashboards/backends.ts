import { type Dashboard, graph, quantile, table } from './dashboard.ts';

/** The calls to MongoDB and Redis, or to SQLite. */
export const backendsDashboard: Dashboard = {
  uid: 'widget-service-backends',
  title: 'Widget Service: backends',
  description: 'The calls of all processes to MongoDB and Redis, or to SQLite.',
  rows: [
    {
      title: 'Failures',
      panels: [
        graph(
          'Share of calls without an answer',
          'percentunit',
          'Above 10 %, the store counts as unavailable.',
          { '{{store}}': 'max by (store) (namespace_store:widget_store_calls_unavailable:ratio_rate2m{NS})' },
          { thresholds: [0.01, 0.1] },
        ),
        graph('Failed calls, by port and error', 'ops', 'unavailable: no answer. other: the store rejected the call.', {
          '{{port}} {{error}}': 'sum by (port, error) (rate(widget_store_call_failures_total{NS}[$__rate_interval]))',
        }),
        graph('Failed calls, by process', 'ops', 'One process alone: its network. All: the store.', {
          '{{component}} {{instance}}':
            'sum by (component, instance) (rate(widget_store_call_failures_total{NS}[$__rate_interval]))',
        }),
        graph('Room for the SQLite file', 'bytes', 'Of the embedded service. The file never shrinks by itself.', {
          'file {{instance}}': 'max by (instance) (widget_database_bytes{NS})',
          'free on its disk {{instance}}': 'max by (instance) (widget_database_disk_free_bytes{NS})',
        }),
        graph(
          'Rate limits decided by a pod alone',
          'ops',
          'The shared limiter in Redis was unavailable, or slower than 100 ms.',
          { decisions: 'sum(rate(widget_rate_limit_fallback_total{NS}[$__rate_interval]))' },
          { thresholds: [null, 0.1] },
        ),
        graph(
          'Failures of the identity provider in 10 min',
          'short',
          'It does not answer, or its settings are wrong. The log line identity_provider.unusable, or that of the sign-in, says why.',
          { failures: 'sum(increase(widget_identity_provider_failures_total{NS}[10m]))' },
          { thresholds: [null, 1] },
        ),
        graph(
          'Audit events lost in 1 h',
          'short',
          'The store did not accept them. Each is complete in a log line audit.lost.',
          { events: 'sum(increase(widget_audit_events_lost_total{NS}[1h]))' },
          { thresholds: [null, 1] },
        ),
      ],
    },
    {
      title: 'Calls',
      panels: [
        graph(
          'Calls, by port',
          'ops',
          'hookQueue, eventLog, control and rateLimiter are in Redis, the others in MongoDB.',
          {
            '{{port}}': 'sum by (port) (rate(widget_store_call_duration_seconds_count{NS}[$__rate_interval]))',
          },
        ),
        graph(
          'p99, by port',
          's',
          'Ports without calls have no line. Without the reads that wait for an event (next).',
          {
            '{{port}}': `${quantile(0.99, 'widget_store_call_duration_seconds', 'operation!="next"', 'port')} >= 0`,
          },
        ),
        graph('p99 of the calls on the way of a hook', 's', 'From the queue to the event log.', {
          '{{port}} {{operation}}': `${quantile(
            0.99,
            'widget_store_call_duration_seconds',
            'port=~"hookQueue|ledger|effects|eventLog|outboxes",operation=~"enqueue|register|load|apply|append|markPublished|removePublished"',
            'port, operation',
          )} >= 0`,
        }),
        table(
          'Busiest operations',
          'ops',
          'Calls per second within 5 minutes.',
          'topk(15, sum by (port, operation) (rate(widget_store_call_duration_seconds_count{NS}[5m])))',
        ),
        table(
          'Slowest operations',
          's',
          'Mean time within 5 minutes. Without the reads that wait for an event (next).',
          'topk(15, sum by (port, operation) (rate(widget_store_call_duration_seconds_sum{NS,operation!="next"}[5m])) / (sum by (port, operation) (rate(widget_store_call_duration_seconds_count{NS,operation!="next"}[5m])) > 0))',
        ),
      ],
    },
  ],
};
