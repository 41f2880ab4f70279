/** What the conditions are judged by. Null: the store did not answer. */
export interface JudgedState {
  /** The last hour, in points of 15 s, and why pods refuse hooks now. */
  readonly hooks: {
    readonly hooksAccepted: readonly (number | null)[];
    readonly hooksFailed: readonly (number | null)[];
    readonly reasons: readonly string[];
  };
  readonly queues: readonly { readonly ageSeconds: number }[] | null;
  /** Seconds since the oldest unpublished change, or 0 if there is none. */
  readonly outboxAgeSeconds: number | null;
  readonly deadLetters: readonly { readonly integrationName: string; readonly count: number }[] | null;
  readonly pods: readonly {
    readonly name: string;
    readonly streamsOpen: number;
    readonly streamsMax: number;
    readonly lagEvents: number | null;
    readonly notReady: readonly string[];
  }[];
  readonly podsAsked: number;
  readonly podsAnswered: number;
  /** False: the pod processes hooks itself. */
  readonly hasWorkers: boolean;
  readonly workers: {
    readonly states: readonly { readonly name: string; readonly notReady: readonly string[] }[];
    readonly asked: number;
  } | null;
}

/** Something that is wrong now, with the next step. */
export interface Condition {
  /** Stable, for programs. */
  readonly code: string;
  /** `page`: users notice. `ticket`: it can wait for working hours. As the alerts. */
  readonly severity: 'page' | 'ticket';
  readonly title: string;
  /** What was seen, and what to do next. */
  readonly detail: string;
  /** The page in `docs/runbooks` that says more. Null: there is none. */
  readonly runbook: string | null;
}

// The limits of the alerts in deploy/prometheus/alerting-rules.yaml.
const failedShareMax = 14.4 * 0.001;
const failedInHourMin = 10;
/** Five minutes. */
const failedPoints = 20;
const queueAgeSecondsMax = 60;
const outboxAgeSecondsMax = 60;
const lagEventsMax = 1_000;
const streamsShareMax = 0.8;

/** Says what is wrong now, the worst first. Nothing: all is well. */
export function findConditions(state: JudgedState): Condition[] {
  const found = [
    ...judgeStores(state),
    ...judgeHooks(state),
    ...judgePods(state),
    ...judgeWorkers(state),
    ...judgeQueue(state),
    ...judgeOutboxes(state),
    ...judgeDeadLetters(state),
  ];
  return found.sort((one, other) => Number(one.severity === 'ticket') - Number(other.severity === 'ticket'));
}

function judgeStores({ queues, outboxAgeSeconds, deadLetters }: JudgedState): Condition[] {
  const missing = [
    queues === null ? 'the hook queue' : null,
    outboxAgeSeconds === null || deadLetters === null ? 'the store' : null,
  ].filter((name) => name !== null);
  if (missing.length === 0) return [];
  return [
    {
      code: 'store-unavailable',
      severity: 'page',
      title: 'A store does not answer',
      detail: `${missing.join(' and ')} did not answer. Hooks may be refused. Look at the store, and at the network to it.`,
      runbook: 'store-unavailable',
    },
  ];
}

function judgeHooks({ hooks: { hooksAccepted, hooksFailed, reasons } }: JudgedState): Condition[] {
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const accepted = sum(hooksAccepted.slice(-failedPoints));
  const failed = sum(hooksFailed.slice(-failedPoints));
  const share = failed / (accepted + failed);
  if (!(share > failedShareMax) || sum(hooksFailed) < failedInHourMin) return [];
  const cause = reasons.length === 0 ? 'No pod refuses hooks right now.' : `${reasons.join('; ')}.`;
  return [
    {
      code: 'hooks-refused',
      severity: 'page',
      title: 'Hooks are refused',
      detail: `Of the valid hooks of the last 5 minutes, ${Math.ceil(share * 100)} % got 5xx. ${cause}`,
      runbook: 'hooks-not-accepted',
    },
  ];
}

function judgePods({ pods, podsAsked, podsAnswered }: JudgedState): Condition[] {
  const found: Condition[] = [];
  if (podsAnswered < podsAsked) {
    found.push({
      code: 'pods-silent',
      severity: 'ticket',
      title: 'Some pods did not answer',
      detail: `${podsAnswered} of ${podsAsked} pods answered. The figures of the others are missing. Look at the pods.`,
      runbook: null,
    });
  }
  for (const { name, streamsOpen, streamsMax, lagEvents, notReady } of pods) {
    if (notReady.length > 0) {
      found.push({
        code: 'pod-not-ready',
        severity: 'ticket',
        title: `Pod ${name} is not ready`,
        detail: `${notReady.join('; ')}. The other pods serve its clients.`,
        runbook: 'task-not-ready',
      });
    }
    if (lagEvents !== null && lagEvents > lagEventsMax) {
      found.push({
        code: 'tail-behind',
        severity: 'ticket',
        title: `Pod ${name} is behind the event log`,
        detail: `Its streams are ${lagEvents} events late. Look at its processor and at Redis.`,
        runbook: 'tail-behind',
      });
    }
    if (streamsMax > 0 && streamsOpen > streamsMax * streamsShareMax) {
      found.push({
        code: 'streams-near-limit',
        severity: 'ticket',
        title: `Pod ${name} has almost no room for streams`,
        detail: `${streamsOpen} of ${streamsMax} streams are open. Add pods, or raise STREAMS_PER_POD.`,
        runbook: 'streams-near-limit',
      });
    }
  }
  return found;
}

function judgeWorkers({ hasWorkers, workers }: JudgedState): Condition[] {
  if (!hasWorkers || workers === null) return [];
  const { states, asked } = workers;
  if (states.length === 0) {
    return [
      {
        code: 'no-worker',
        severity: 'page',
        title: 'No worker answers',
        detail:
          'Hooks are accepted, but nothing processes them, unless workers of an older version run. Start a worker, or look at the log of those that should run.',
        runbook: 'hooks-wait',
      },
    ];
  }
  const found: Condition[] = [];
  if (states.length < asked) {
    found.push({
      code: 'workers-silent',
      severity: 'ticket',
      title: 'Some workers did not answer',
      detail: `${states.length} of ${asked} workers answered. The others may be overloaded or frozen. Look at them.`,
      runbook: null,
    });
  }
  for (const { name, notReady } of states) {
    if (notReady.length === 0) continue;
    found.push({
      code: 'worker-not-ready',
      severity: 'ticket',
      title: `Worker ${name} is not ready`,
      detail: `${notReady.join('; ')}. The other workers process its hooks.`,
      runbook: 'task-not-ready',
    });
  }
  return found;
}

function judgeQueue({ queues }: JudgedState): Condition[] {
  const ageSeconds = Math.max(0, ...(queues ?? []).map((queue) => queue.ageSeconds));
  if (ageSeconds <= queueAgeSecondsMax) return [];
  return [
    {
      code: 'hooks-wait',
      severity: 'page',
      title: 'Hooks wait too long',
      detail: `The oldest job has been in the queue for ${Math.round(ageSeconds)} s. Look whether workers run, and at their log.`,
      runbook: 'hooks-wait',
    },
  ];
}

function judgeOutboxes({ outboxAgeSeconds }: JudgedState): Condition[] {
  if (outboxAgeSeconds === null || outboxAgeSeconds <= outboxAgeSecondsMax) return [];
  return [
    {
      code: 'outboxes-overdue',
      severity: 'ticket',
      title: 'Changes of widgets are not published',
      detail: `The oldest has waited for ${Math.round(outboxAgeSeconds)} s. Look at the log of the workers.`,
      runbook: 'outboxes-overdue',
    },
  ];
}

function judgeDeadLetters({ deadLetters }: JudgedState): Condition[] {
  return (deadLetters ?? []).map(({ integrationName, count }) => ({
    code: 'dead-letters',
    severity: 'ticket',
    title: `Dead deliveries of ${integrationName}`,
    detail:
      count === 1
        ? '1 hook could not be processed. Look at its reason, remove the cause, and redrive it.'
        : `${count} hooks could not be processed. Look at their reasons, remove the cause, and redrive them.`,
    runbook: 'dead-letters',
  }));
}
