import { type Dashboard, graph, quantile, stat, table } from './grafana.ts';

const hooksRoute = 'route="/api/v1/events/hooks/:token"';
const ofService = 'job=~".*widget-service"';

/** The first one to look at: are the promises kept, and is everything up? */
export const serviceDashboard: Dashboard = {
  uid: 'widget-service',
  title: 'Widget Service',
  description: 'Are the promises kept, and is everything up? Start here.',
  rows: {
    Promises: [
      stat('Hooks accepted', 'reqps', 'Hooks answered 202.').line(
        'sum(rate(widget_hooks_accepted_total{NS}[$__rate_interval]))',
      ),
      stat(
        'Hooks failed, 5 min',
        'percentunit',
        'Share of valid hooks that got 5xx. The promise is 0.1 % over 30 days.',
      )
        .line('max(namespace:widget_hooks_failed:ratio_rate5m{NS})')
        .limits(0.001, 0.0144),
      stat(
        'Events late, 5 min',
        'percentunit',
        'Share of events that took more than 5 s from acceptance to the streams. The promise is 1 % over 30 days.',
      )
        .line('max(namespace:widget_events_late:ratio_rate5m{NS})')
        .limits(0.01, 0.144),
      stat(
        'Oldest waiting job',
        's',
        'How long the oldest job of the hook queue has waited. NaN: Redis does not answer.',
      )
        .line('max(widget_hook_queue_oldest_age_seconds{NS})')
        .limits(10, 60),
      stat('Streams open', 'short', 'Open streams of all pods.').line('sum(widget_streams_open{NS})'),
      stat('Alerts firing', 'short', 'Alerts of this service that fire now.')
        .line('count(ALERTS{alertname=~"Widget.*",alertstate="firing"}) or vector(0)')
        .limits(null, 1),
      graph(
        'Hooks failed, by window',
        'percentunit',
        'Two windows above the same burn rate wake someone: 1.44 % over 5 min and 1 h, or 0.6 % over 30 min and 6 h.',
      )
        .line('max(namespace:widget_hooks_failed:ratio_rate5m{NS})', '5 min')
        .line('max(namespace:widget_hooks_failed:ratio_rate1h{NS})', '1 h')
        .line('max(namespace:widget_hooks_failed:ratio_rate6h{NS})', '6 h')
        .line('max(namespace:widget_hooks_failed:ratio_rate3d{NS})', '3 d')
        .limits(0.001, 0.0144),
      graph(
        'Events late, by window',
        'percentunit',
        'Two windows above the same burn rate wake someone: 14.4 % over 5 min and 1 h, or 6 % over 30 min and 6 h.',
      )
        .line('max(namespace:widget_events_late:ratio_rate5m{NS})', '5 min')
        .line('max(namespace:widget_events_late:ratio_rate1h{NS})', '1 h')
        .line('max(namespace:widget_events_late:ratio_rate6h{NS})', '6 h')
        .line('max(namespace:widget_events_late:ratio_rate3d{NS})', '3 d')
        .limits(0.01, 0.144),
      graph(
        'From acceptance to the stream',
        's',
        'The way of a hook: until its 202, until its event is in the log, until a pod has written it to its streams.',
      )
        .line(quantile(0.99, 'widget_http_request_duration_seconds', `${hooksRoute},status="2xx"`), 'p99 until 202')
        .line(quantile(0.99, 'widget_event_publish_delay_seconds'), 'p99 until published')
        .line(quantile(0.99, 'widget_event_delivery_delay_seconds'), 'p99 until written')
        .line(quantile(0.5, 'widget_event_delivery_delay_seconds'), 'p50 until written')
        .limits(null, 5),
    ],
    Requests: [
      graph('Requests, by status', 'reqps', 'All responses of all pods.').line(
        'sum by (status) (rate(widget_http_requests_total{NS}[$__rate_interval]))',
      ),
      graph(
        'Server errors, by route',
        'reqps',
        '503: a store is unavailable, or the service is overloaded. 500: a defect. No line: no error since the pods started.',
      )
        .line('sum by (status, method, route) (rate(widget_http_requests_total{NS,status=~"5.."}[$__rate_interval]))')
        .limits(null, 0.1),
      graph('p99 latency, by route', 's', 'Of answers with 2xx. Routes without requests have no line.').line(
        `${quantile(0.99, 'widget_http_request_duration_seconds', 'status="2xx"', 'method, route')} >= 0`,
      ),
    ],
    Processes: [
      graph('Processes up', 'short', 'Processes that answer the scrape.').line(
        `sum by (component) (up{NS,${ofService}})`,
      ),
      graph('Tasks that make no progress', 'short', 'A process with such a task is not ready.')
        .line('sum by (component, task) (1 - widget_task_ready{NS})')
        .limits(null, 1),
      graph('Event-loop delay, p99', 's', 'Every request and stream of the process waits this long.')
        .line(`nodejs_eventloop_lag_p99_seconds{NS,${ofService}}`, '{{component}} {{instance}}')
        .limits(0.1, 0.5),
      graph('Processor time', 'percentunit', 'Processors in use. A process does most of its work on one.').line(
        `rate(process_cpu_seconds_total{NS,${ofService}}[$__rate_interval])`,
        '{{component}} {{instance}}',
      ),
      graph('Memory', 'bytes', 'Resident memory of each process.').line(
        `process_resident_memory_bytes{NS,${ofService}}`,
        '{{component}} {{instance}}',
      ),
      graph('Restarts within 30 min', 'short', 'Restarts of a process on the same address.')
        .line(`changes(process_start_time_seconds{NS,${ofService}}[30m])`, '{{component}} {{instance}}')
        .limits(1, 3),
      table('What runs', 'none', 'Versions of the running processes.').line(
        'count by (component, version, node, backend) (widget_build_info{NS})',
      ),
      table('Task failures in 1 h', 'none', 'Tasks that failed and were restarted.').line(
        'sum by (component, task) (increase(widget_task_failures_total{NS}[1h]))',
      ),
    ],
  },
};
