import { type Dashboard, graph, quantile } from './grafana.ts';

const hooksRoute = 'route="/api/v1/events/hooks/:token"';

/** From the 202 to the event log. */
export const hooksDashboard: Dashboard = {
  uid: 'widget-service-hooks',
  title: 'Widget Service: hooks',
  description: 'From the request of a sender to the event in the log.',
  rows: {
    Acceptance: [
      graph('Hooks accepted', 'reqps', 'Hooks answered 202, by pod.').line(
        'sum by (instance) (rate(widget_hooks_accepted_total{NS}[$__rate_interval]))',
      ),
      graph(
        'Hooks refused, by code, and ignored',
        'reqps',
        'unavailable and internal break the promise. The other codes are the sender’s mistake, or the sender is too fast.',
      )
        .line('sum by (code) (rate(widget_hooks_refused_total{NS}[$__rate_interval]))')
        .line('sum(rate(widget_hooks_ignored_total{NS}[$__rate_interval]))', 'ignored by a mapping'),
      graph('Time until the 202', 's', 'Mostly the time of one write to the queue.')
        .line(quantile(0.5, 'widget_http_request_duration_seconds', `${hooksRoute},status="2xx"`), 'p50')
        .line(quantile(0.99, 'widget_http_request_duration_seconds', `${hooksRoute},status="2xx"`), 'p99')
        .limits(0.25, 1),
    ],
    Queue: [
      graph('Jobs', 'short', 'Jobs that wait or run, by partition. A job holds one hook or many.').line(
        'max by (queue) (widget_hook_queue_jobs{NS})',
      ),
      graph('Oldest job', 's', 'It rises by one second per second while no worker consumes the partition.')
        .line('max by (queue) (widget_hook_queue_oldest_age_seconds{NS})')
        .limits(10, 60),
      graph(
        'Jobs started',
        'ops',
        'Again: after a crash of the worker, or a release. Many of these mean that workers die.',
      ).line('sum by (start) (rate(widget_jobs_started_total{NS}[$__rate_interval]))'),
    ],
    Runs: [
      graph(
        'Runs, by outcome',
        'ops',
        'published is the good one. failed and not-applied point to a defect or damaged data.',
      ).line('sum by (outcome) (rate(widget_run_duration_seconds_count{NS}[$__rate_interval]))'),
      graph('Time of a run', 's', 'Runs that published.')
        .line(quantile(0.5, 'widget_run_duration_seconds', 'outcome="published"'), 'p50')
        .line(quantile(0.99, 'widget_run_duration_seconds', 'outcome="published"'), 'p99'),
      graph('Items per run', 'short', 'Large runs are cheap per hook. They grow when hooks wait.').line(
        'sum(rate(widget_run_items_sum{NS}[$__rate_interval])) / sum(rate(widget_run_items_count{NS}[$__rate_interval]))',
        'mean',
      ),
      graph('Events appended', 'ops', 'By worker.').line(
        'sum by (instance) (rate(widget_events_appended_total{NS}[$__rate_interval]))',
      ),
      graph('From acceptance to published', 's', 'Until the event is in the log.')
        .line(quantile(0.5, 'widget_event_publish_delay_seconds'), 'p50')
        .line(quantile(0.99, 'widget_event_publish_delay_seconds'), 'p99')
        .limits(1, 5),
      graph('Duplicates dropped', 'ops', 'Senders that repeat a hook, and jobs that run again.').line(
        'sum(rate(widget_deliveries_duplicate_total{NS}[$__rate_interval]))',
        'duplicates',
      ),
    ],
    'What went wrong': [
      graph('Dead letters in 1 h', 'short', 'Accepted hooks that have no effect until someone redrives them.')
        .line('sum by (reason) (increase(widget_deliveries_dead_total{NS}[1h]))')
        .limits(null, 1),
      graph(
        'Quarantine and redrive in 1 h',
        'short',
        'Texts of the queue that name no delivery, and dead letters that were redriven.',
      )
        .line('sum(increase(widget_queue_texts_quarantined_total{NS}[1h]))', 'quarantined')
        .line('sum(increase(widget_deliveries_redriven_total{NS}[1h]))', 'redriven'),
      graph('Oldest overdue outbox', 's', '0: none is overdue. NaN: the scanner cannot read the outboxes or enqueue.')
        .line('max(widget_outbox_oldest_age_seconds{NS})', 'age')
        .line('sum(rate(widget_outboxes_overdue_total{NS}[$__rate_interval]))', 'overdue outboxes per second')
        .limits(10, 60),
    ],
  },
};
