/** A kind of condition, and the alert of Prometheus that fires for the same reason. */
interface ConditionKind {
  /** `page`: users notice. `ticket`: it can wait for working hours. */
  readonly severity: 'page' | 'ticket';
  /** The page in `docs/runbooks` that says more. */
  readonly runbook: string;
  readonly alert: string;
  /** Above this, it is a condition. Its alert compares the same. */
  readonly limit?: { readonly metric: string; readonly above: number };
}

/**
 * The limits of the overview and of `deploy/prometheus/alerting-rules.yaml`, by the code of the condition. A test
 * compares the rules with this table, so a limit is changed in both.
 */
export const conditionsTable = {
  'store-unavailable': { severity: 'page', runbook: 'store-unavailable', alert: 'WidgetStoreUnavailable' },
  'control-unavailable': { severity: 'page', runbook: 'revocations-refused', alert: 'WidgetRevocationsRefused' },
  'hooks-refused': {
    severity: 'page',
    runbook: 'hooks-not-accepted',
    alert: 'WidgetHooksNotAccepted',
    limit: { metric: 'namespace:widget_hooks_failed:ratio_rate5m', above: 14.4 * 0.001 },
  },
  'hooks-wait': {
    severity: 'page',
    runbook: 'hooks-wait',
    alert: 'WidgetHooksWait',
    limit: { metric: 'widget_hook_queue_oldest_age_seconds', above: 60 },
  },
  'no-worker': { severity: 'page', runbook: 'service-down', alert: 'WidgetServiceDown' },
  'outboxes-overdue': {
    severity: 'page',
    runbook: 'outboxes-overdue',
    alert: 'WidgetOutboxesOverdue',
    limit: { metric: 'widget_outbox_oldest_age_seconds', above: 60 },
  },
  'pod-not-ready': { severity: 'ticket', runbook: 'task-not-ready', alert: 'WidgetTaskNotReady' },
  'worker-not-ready': { severity: 'ticket', runbook: 'task-not-ready', alert: 'WidgetTaskNotReady' },
  'process-silent': { severity: 'ticket', runbook: 'process-down', alert: 'WidgetProcessDown' },
  'tail-behind': {
    severity: 'ticket',
    runbook: 'tail-behind',
    alert: 'WidgetTailBehind',
    limit: { metric: 'widget_tail_lag_events', above: 1_000 },
  },
  'streams-near-limit': {
    severity: 'ticket',
    runbook: 'streams-near-limit',
    alert: 'WidgetStreamsNearLimit',
    limit: { metric: 'widget_streams_open / widget_streams_limit', above: 0.8 },
  },
  'dead-letters': { severity: 'ticket', runbook: 'dead-letters', alert: 'WidgetDeadLetters' },
} as const satisfies Readonly<Record<string, ConditionKind>>;

export type ConditionCode = keyof typeof conditionsTable;
