import { type Dashboard, graph, quantile } from './dashboard.ts';

const hooksRoute = 'route="/api/v1/events/hooks/:token"';

/** From the 202 to the event log. */
export const hooksDashboard: Dashboard = {
  uid: 'widget-service-hooks',
  title: 'Widget Service: hooks',
  description: 'From the request of a sender to the event in the log.',
  rows: [
    {
      title: 'Acceptance',
      panels: [
        graph('Hooks accepted', 'reqps', 'Hooks answered 202, by pod.', {
          '{{instance}}': 'sum by (instance) (rate(widget_hooks_accepted_total{NS}[$__rate_interval]))',
        }),
        graph(
          'Hooks refused, by code, and ignored',
          'reqps',
          'unavailable and internal break the promise. The other codes are the sender’s mistake, or the sender is too fast.',
          {
            '{{code}}': 'sum by (code) (rate(widget_hooks_refused_total{NS}[$__rate_interval]))',
            'ignored by a mapping': 'sum(rate(widget_hooks_ignored_total{NS}[$__rate_interval]))',
          },
        ),
        graph(
          'Time until the 202',
          's',
          'Mostly the time of one write to the queue.',
          {
            p50: quantile(0.5, 'widget_http_request_duration_seconds', `${hooksRoute},status="2xx"`),
            p99: quantile(0.99, 'widget_http_request_duration_seconds', `${hooksRoute},status="2xx"`),
          },
          { thresholds: [0.25, 1] },
        ),
      ],
    },
    {
      title: 'Queue',
      panels: [
        graph('Jobs', 'short', 'Jobs that wait or run, by partition. A job holds one hook or many.', {
          '{{queue}}': 'max by (queue) (widget_hook_queue_jobs{NS})',
        }),
        graph(
          'Oldest job',
          's',
          'It rises by one second per second while no worker consumes the partition.',
          { '{{queue}}': 'max by (queue) (widget_hook_queue_oldest_age_seconds{NS})' },
          { thresholds: [10, 60] },
        ),
        graph(
          'Jobs started',
          'ops',
          'Again: after a crash of the worker, or a release. Many of these mean that workers die.',
          {
            '{{start}}': 'sum by (start) (rate(widget_jobs_started_total{NS}[$__rate_interval]))',
          },
        ),
      ],
    },
    {
      title: 'Runs',
      panels: [
        graph(
          'Runs, by outcome',
          'ops',
          'published is the good one. failed and not-applied point to a defect or damaged data.',
          {
            '{{outcome}}': 'sum by (outcome) (rate(widget_run_duration_seconds_count{NS}[$__rate_interval]))',
          },
        ),
        graph('Time of a run', 's', 'Runs that published.', {
          p50: quantile(0.5, 'widget_run_duration_seconds', 'outcome="published"'),
          p99: quantile(0.99, 'widget_run_duration_seconds', 'outcome="published"'),
        }),
        graph('Items per run', 'short', 'Large runs are cheap per hook. They grow when hooks wait.', {
          mean: 'sum(rate(widget_run_items_sum{NS}[$__rate_interval])) / sum(rate(widget_run_items_count{NS}[$__rate_interval]))',
        }),
        graph('Events appended', 'ops', 'By worker.', {
          '{{instance}}': 'sum by (instance) (rate(widget_events_appended_total{NS}[$__rate_interval]))',
        }),
        graph(
          'From acceptance to published',
          's',
          'Until the event is in the log.',
          {
            p50: quantile(0.5, 'widget_event_publish_delay_seconds'),
            p99: quantile(0.99, 'widget_event_publish_delay_seconds'),
          },
          { thresholds: [1, 5] },
        ),
        graph('Duplicates dropped', 'ops', 'Senders that repeat a hook, and jobs that run again.', {
          duplicates: 'sum(rate(widget_deliveries_duplicate_total{NS}[$__rate_interval]))',
        }),
      ],
    },
    {
      title: 'What went wrong',
      panels: [
        graph(
          'Dead letters in 1 h',
          'short',
          'Accepted hooks that have no effect until someone redrives them.',
          { '{{reason}}': 'sum by (reason) (increase(widget_deliveries_dead_total{NS}[1h]))' },
          { thresholds: [null, 1] },
        ),
        graph(
          'Quarantine and redrive in 1 h',
          'short',
          'Texts of the queue that name no delivery, and dead letters that were redriven.',
          {
            quarantined: 'sum(increase(widget_queue_texts_quarantined_total{NS}[1h]))',
            redriven: 'sum(increase(widget_deliveries_redriven_total{NS}[1h]))',
          },
        ),
        graph(
          'Oldest overdue outbox',
          's',
          '0: none is overdue. NaN: the scanner cannot read the outboxes or enqueue.',
          {
            age: 'max(widget_outbox_oldest_age_seconds{NS})',
            'overdue outboxes per second': 'sum(rate(widget_outboxes_overdue_total{NS}[$__rate_interval]))',
          },
          { thresholds: [10, 60] },
        ),
      ],
    },
  ],
};
