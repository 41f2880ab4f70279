import { type ProcessState, processStateLimits, type ReadState } from '@widget-service/shared/ports/process-states.ts';
import type { OverviewBody } from './overview-schema.ts';
import { delayPoints } from './pod-state.ts';

/** A kind of condition, and the alert of Prometheus that fires for the same reason. */
interface ConditionKind {
  /** `page`: users notice. `ticket`: it can wait for working hours. */
  readonly severity: 'page' | 'ticket';
  /** The page in `docs/runbooks` that says more. */
  readonly runbook: string;
  readonly alert: string;
  /** The condition holds above this value, and so does its alert. */
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

type ConditionCode = keyof typeof conditionsTable;

/** The figures from which the conditions follow. Null: the store did not answer. */
export interface JudgedState {
  /** The sums of all pods, in points of 15 s. */
  readonly hooksAccepted: readonly (number | null)[];
  readonly hooksFailed: readonly (number | null)[];
  /** Seconds for which the oldest job of each queue has waited. */
  readonly queueAgesSeconds: readonly number[] | null;
  /** Seconds since the oldest unpublished change, or 0 if there is none. */
  readonly outboxAgeSeconds: number | null;
  readonly deadLetters: readonly { readonly integrationName: string; readonly count: number }[] | null;
  readonly processes: readonly Pick<ReadState, 'state' | 'ageMs'>[];
  /** Whether the states of the other processes could be read. */
  readonly knowsOthers: boolean;
  /** False: the pod processes hooks itself. */
  readonly hasWorkers: boolean;
}

type Condition = OverviewBody['conditions'][number];

/** Says what is wrong now, the worst first. Nothing: all is well. */
export function findConditions(state: JudgedState): Condition[] {
  const found = [
    ...judgeStores(state),
    ...judgeHooks(state),
    ...state.processes.flatMap(judgeProcess),
    ...judgeWork(state),
    ...judgeDeadLetters(state),
  ];
  return found.sort((one, other) => Number(one.severity === 'ticket') - Number(other.severity === 'ticket'));
}

function describe(code: ConditionCode, title: string, detail: string): Condition {
  const { severity, runbook } = conditionsTable[code];
  return { code, severity, title, detail, runbook };
}

function judgeStores({ queueAgesSeconds, outboxAgeSeconds, deadLetters, knowsOthers, processes }: JudgedState) {
  const found: Condition[] = [];
  const missing = [
    queueAgesSeconds === null ? 'The hook queue' : null,
    outboxAgeSeconds === null || deadLetters === null ? 'The store' : null,
    knowsOthers ? null : 'The states of the other pods and workers',
  ].filter((name) => name !== null);
  if (missing.length > 0) {
    const detail = `No answer: ${missing.join('; ')}. Hooks may be refused. Look at the store, and at the network to it.`;
    found.push(describe('store-unavailable', 'A store does not answer', detail));
  }
  if (processes.some(({ state }) => state.pod?.isControlUnreachable === true)) {
    const detail =
      'The control log cannot be read. Revocations may be refused. Look at Redis, and at the key of the control log.';
    found.push(describe('control-unavailable', 'Tokens and sessions cannot be revoked', detail));
  }
  return found;
}

/** Fewer failed hooks in an hour are no condition; the alert has the same bound. */
const failedInHourMin = 10;

function judgeHooks({ hooksAccepted, hooksFailed, processes }: JudgedState): Condition[] {
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0);
  // Five minutes, as the delays.
  const accepted = sum(hooksAccepted.slice(-delayPoints));
  const failed = sum(hooksFailed.slice(-delayPoints));
  const share = failed / (accepted + failed);
  if (!(share > conditionsTable['hooks-refused'].limit.above) || sum(hooksFailed) < failedInHourMin) return [];
  const reasons = [...new Set(processes.flatMap(({ state }) => state.pod?.hookFailure ?? []))];
  const cause = reasons.length === 0 ? 'No pod refuses hooks right now.' : `${reasons.join('; ')}.`;
  const detail = `Of the valid hooks of the last 5 minutes, ${Math.ceil(share * 100)} % got 5xx. ${cause}`;
  return [describe('hooks-refused', 'Hooks are refused', detail)];
}

const isSilent = (ageMs: number): boolean => ageMs > processStateLimits.silentMs;

function judgeProcess({ state, ageMs }: JudgedState['processes'][number]): Condition[] {
  const { name, notReady, pod } = state;
  const found: Condition[] = [];
  const [kind, work] = pod === null ? ['Worker', 'process its hooks'] : ['Pod', 'serve its clients'];
  if (isSilent(ageMs)) {
    const detail = `Its last state is ${Math.round(ageMs / 1_000)} s old. It may be frozen, or cut off from Redis. Look at it.`;
    found.push(describe('process-silent', `${kind} ${name} is silent`, detail));
  }
  if (notReady.length > 0) {
    const code = pod === null ? 'worker-not-ready' : 'pod-not-ready';
    const detail = `${notReady.join('; ')}. The other ${kind.toLowerCase()}s ${work}.`;
    found.push(describe(code, `${kind} ${name} is not ready`, detail));
  }
  return pod === null ? found : [...found, ...judgeStreams(name, pod)];
}

type PodFigures = Pick<NonNullable<ProcessState['pod']>, 'streamsOpen' | 'streamsMax' | 'lagEvents'>;

function judgeStreams(name: string, { streamsOpen, streamsMax, lagEvents }: PodFigures): Condition[] {
  const found: Condition[] = [];
  if ((lagEvents ?? 0) > conditionsTable['tail-behind'].limit.above) {
    const detail = `Its streams are ${lagEvents} events late. Look at its processor and at Redis.`;
    found.push(describe('tail-behind', `Pod ${name} is behind the event log`, detail));
  }
  if (streamsOpen > streamsMax * conditionsTable['streams-near-limit'].limit.above) {
    const detail = `${streamsOpen} of ${streamsMax} streams are open. Add pods, or raise STREAMS_PER_POD.`;
    found.push(describe('streams-near-limit', `Pod ${name} has almost no room for streams`, detail));
  }
  return found;
}

/** Whether accepted hooks are processed, and changes published. */
function judgeWork({ hasWorkers, knowsOthers, processes, queueAgesSeconds, outboxAgeSeconds }: JudgedState) {
  const found: Condition[] = [];
  const hasWorker = processes.some(({ state, ageMs }) => state.pod === null && !isSilent(ageMs));
  if (hasWorkers && knowsOthers && !hasWorker) {
    const detail =
      'Hooks are accepted, but nothing processes them. Start a worker, or look at the log of those that should run.';
    found.push(describe('no-worker', 'No worker runs', detail));
  }
  const ageSeconds = Math.max(0, ...(queueAgesSeconds ?? []));
  if (ageSeconds > conditionsTable['hooks-wait'].limit.above) {
    const detail = `The oldest job has been in the queue for ${Math.round(ageSeconds)} s. Look whether workers run, and at their log.`;
    found.push(describe('hooks-wait', 'Hooks wait too long', detail));
  }
  if ((outboxAgeSeconds ?? 0) > conditionsTable['outboxes-overdue'].limit.above) {
    const detail = `The oldest has waited for ${Math.round(outboxAgeSeconds ?? 0)} s. Look at the log of the workers.`;
    found.push(describe('outboxes-overdue', 'Changes of widgets are not published', detail));
  }
  return found;
}

function judgeDeadLetters({ deadLetters }: JudgedState): Condition[] {
  return (deadLetters ?? []).map(({ integrationName, count }) => {
    const detail =
      count === 1
        ? '1 hook could not be processed. Look at its reason, remove the cause, and redrive it.'
        : `${count} hooks could not be processed. Look at their reasons, remove the cause, and redrive them.`;
    return describe('dead-letters', `Dead deliveries of ${integrationName}`, detail);
  });
}
