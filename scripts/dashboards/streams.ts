import { type Dashboard, graph, quantile } from './grafana.ts';

/** From the event log to the subscribers. */
export const streamsDashboard: Dashboard = {
  uid: 'widget-service-streams',
  title: 'Widget Service: streams',
  description: 'From the event log to the subscribers.',
  rows: {
    Streams: [
      graph('Streams open', 'short', 'By pod.').line('sum by (instance) (widget_streams_open{NS})'),
      graph(
        'Share of the limit in use',
        'percentunit',
        'Open streams per STREAMS_PER_POD. Leave room for the streams of one lost pod.',
      )
        .line('max by (instance) (widget_streams_open{NS} / widget_streams_limit{NS})')
        .limits(0.8, 1),
      graph(
        'Share of the connections in use',
        'percentunit',
        'Open connections of the public port per connection that the pod may have, with or without a stream.',
      )
        .line('max by (instance) (widget_connections_open{NS} / widget_connections_limit{NS})')
        .limits(0.8, 1),
      graph(
        'Connections refused, by reason',
        'cps',
        'per-address: one client has too many. per-pod: the pod is full.',
      ).line('sum by (reason) (rate(widget_connections_refused_total{NS}[$__rate_interval]))'),
      graph('Opened, by start', 'cps', 'gap: the client was told that events are missing.').line(
        'sum by (start) (rate(widget_streams_opened_total{NS}[$__rate_interval]))',
      ),
      graph('Closed, by reason', 'cps', 'client-left and lifetime are normal. slow: the client reads too slowly.').line(
        'sum by (reason) (rate(widget_streams_closed_total{NS}[$__rate_interval]))',
      ),
      graph('Refused, by reason', 'cps', 'overloaded: the pod has STREAMS_PER_POD streams.').line(
        'sum by (reason) (rate(widget_streams_refused_total{NS}[$__rate_interval]))',
      ),
      graph(
        'Gaps in 1 h, by reason',
        'short',
        'trimmed: the client was away for too long. epoch-changed, ahead-of-stream: the log lost events. malformed: the client’s mistake.',
      ).line('sum by (reason) (increase(widget_stream_gaps_total{NS}[1h]))'),
    ],
    Sending: [
      graph('From acceptance to the stream', 's', 'Until a pod has written the event to its streams.')
        .line(quantile(0.5, 'widget_event_delivery_delay_seconds'), 'p50')
        .line(quantile(0.95, 'widget_event_delivery_delay_seconds'), 'p95')
        .line(quantile(0.99, 'widget_event_delivery_delay_seconds'), 'p99')
        .limits(1, 5),
      graph('Events sent', 'ops', 'Counted once per stream.').line(
        'sum by (instance) (rate(widget_stream_events_sent_total{NS}[$__rate_interval]))',
      ),
      graph('Bytes sent', 'Bps', 'Bytes of events.').line(
        'sum by (instance) (rate(widget_stream_sent_bytes_total{NS}[$__rate_interval]))',
      ),
      graph('Streams that read too slowly', 'short', 'Open streams with unsent bytes.').line(
        'sum by (instance) (widget_streams_backpressured{NS})',
      ),
      graph('Unsent bytes', 'bytes', 'In the memory of the pods. At most 64 KiB per stream.').line(
        'sum by (instance) (widget_stream_unsent_bytes{NS})',
      ),
      graph(
        'Held back',
        'percentunit',
        'Share of the time for which a pod had new events and waited for the revocations.',
      )
        .line('sum by (instance) (rate(widget_tail_held_back_seconds_total{NS}[$__rate_interval]))')
        .limits(0.05, 0.2),
    ],
    'Event log': [
      graph('Tail lag', 'short', 'Events between the end of the log and the pod. NaN: unknown.')
        .line('max by (instance) (widget_tail_lag_events{NS})')
        .limits(100, 1000),
      graph('Events in the log', 'short', 'At most one per KiB of EVENT_RETENTION_BYTES.').line(
        'max(widget_event_log_events{NS})',
        'events',
      ),
      graph(
        'Time that the log covers',
        's',
        'A client that was away for longer gets stream.gap. A new log is young: that is no problem.',
      )
        .line('max(widget_event_log_oldest_age_seconds{NS})', 'age')
        .lowLimits(14400, 3600),
    ],
  },
};
