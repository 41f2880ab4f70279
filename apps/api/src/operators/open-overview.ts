import {
  parseWorkerState,
  type WorkerState,
  workerStateQuestion,
} from '@widget-service/shared/adapters/worker-state-codec.ts';
import { tryParseJson } from '@widget-service/shared/domain/json.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { PeerRequests } from '@widget-service/shared/ports/peer-requests.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { getProcessName } from '@widget-service/shared/runtime/process-identity.ts';
import { createPeriodicTask, type Task } from '@widget-service/shared/runtime/supervisor.ts';
import { z } from 'zod';
import { type Condition, findConditions } from './conditions.ts';
import { type History, mergeHistories, PodHistory, pointMs } from './pod-history.ts';
import { type DeadLetters, type QueueReading, readStores } from './read-stores.ts';
import { describeDelays, type EventDelay, RecentDelays } from './recent-delays.ts';

/** How long pods may take to answer. A request must end within 2 s. */
const answerWithinMs = 1_000;
/** Many consoles ask at once: they share one answer for this long. */
const keptMs = 1_000;
const sampleEveryMs = 5_000;
const textVersion = 1;

const counts = z.array(z.number().nullable());
const podSchema = z.object({
  name: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
  streamsOpen: z.number(),
  streamsMax: z.number(),
  lagEvents: z.number().nullable(),
  notReady: z.array(z.string()),
});
const answerSchema = z.object({
  version: z.literal(textVersion),
  pod: podSchema,
  history: z.object({
    lastPoint: z.number(),
    hooksAccepted: counts,
    hooksRefused: counts,
    eventsPublished: counts,
    streamsOpen: counts,
    // A pod of an earlier version sends none of these.
    hooksFailed: counts.default([]),
    personalStreamsOpen: counts.default([]),
  }),
  /** Why the pod refuses hooks now. */
  hookFailure: z.string().nullable().default(null),
  /** The events of the last minutes by their delay. A pod of an earlier version sends none. */
  eventDelays: z.array(z.number()).optional(),
});
const question = JSON.stringify({ version: textVersion, kind: 'overview' });

/** A pod, as it describes itself. */
type PodState = z.infer<typeof podSchema>;

/** The whole service at one moment, as far as pods and stores have answered. */
export interface Overview {
  readonly at: Date;
  readonly history: History;
  readonly eventDelay: EventDelay;
  readonly queues: readonly QueueReading[] | null;
  readonly outboxesWaitingSince: Date | null;
  readonly deadLetters: readonly DeadLetters[] | null;
  readonly pods: readonly PodState[];
  readonly podsAsked: number;
  readonly podsAnswered: number;
  /** Null: Redis did not pass on the question. */
  readonly workers: { readonly states: readonly WorkerState[]; readonly asked: number } | null;
  readonly conditions: readonly Condition[];
}

export interface OverviewDeps {
  readonly backend: Pick<Backend, 'hookQueue' | 'outboxes' | 'ledger' | 'integrations' | 'workerRequests'>;
  readonly podRequests: PeerRequests;
  /** False: this process processes hooks itself. */
  readonly hasWorkers: boolean;
  readonly clock: Clock;
  readonly serviceVersion: string;
  readonly streamsMax: number;
  readonly metrics: Pick<Metrics, 'hooksAccepted' | 'hooksRefused' | 'tailLagEvents' | 'eventDeliverySeconds'>;
  readonly countStreams: () => number;
  readonly countPersonalStreams: () => number;
  /** How far the tail of this pod has read. */
  readonly tailPosition: () => LogPosition | null;
  /** Why this pod refuses hooks now. Null: it accepts them. */
  readonly hookFailure: () => string | null;
  /** Why this pod is not ready. Empty: it is. */
  readonly listNotReady: () => readonly string[];
}

export interface OverviewReader {
  /** Never rejects: what does not answer is null, and a condition says so. */
  read(): Promise<Overview>;
  /** Takes samples for the history of this pod. */
  readonly task: Task;
  /** Ends the answering of this pod. */
  close(): void;
}

/** Opens the pod's part of the overview: from now on it answers for itself when a pod asks. Nothing is stored. */
export function openOverview(deps: OverviewDeps): OverviewReader {
  const { podRequests, clock } = deps;
  const startedAtMs = clock.now().getTime();
  const history = new PodHistory();
  const { eventDeliverySeconds } = deps.metrics;
  const delays = new RecentDelays(() => eventDeliverySeconds.labels({}).readCounts(), startedAtMs);
  let lagEvents: number | null = null;

  const describePod = (): PodState => ({
    name: getProcessName(),
    version: deps.serviceVersion,
    startedAtMs,
    streamsOpen: deps.countStreams(),
    streamsMax: deps.streamsMax,
    lagEvents,
    notReady: [...deps.listNotReady()],
  });
  const stopServing = podRequests.serve((text) => {
    if (text !== question) return null;
    const nowMs = clock.now().getTime();
    return JSON.stringify({
      version: textVersion,
      pod: describePod(),
      history: history.read(nowMs),
      hookFailure: deps.hookFailure(),
      eventDelays: delays.read(nowMs),
    });
  });

  const task = createPeriodicTask(
    { name: 'history', stores: [], everyMs: sampleEveryMs, clock, onError: () => undefined },
    async () => {
      const { hooksAccepted, hooksRefused, tailLagEvents } = deps.metrics;
      const lag = await readTotal(tailLagEvents);
      lagEvents = Number.isNaN(lag) ? null : lag;
      delays.sample(clock.now().getTime());
      history.add(clock.now().getTime(), {
        hooksAccepted: await readTotal(hooksAccepted),
        hooksRefused: await readTotal(hooksRefused),
        hooksFailed: await readTotal(hooksRefused, ({ code }) => code === 'unavailable' || code === 'internal'),
        streamsOpen: deps.countStreams(),
        personalStreamsOpen: deps.countPersonalStreams(),
        position: deps.tailPosition(),
      });
    },
  );

  let kept: { readonly untilMs: number; readonly overview: Promise<Overview> } | null = null;
  return {
    read: () => {
      const nowMs = clock.monotonicMs();
      if (kept === null || nowMs >= kept.untilMs) kept = { untilMs: nowMs + keptMs, overview: readOverview(deps) };
      return kept.overview;
    },
    task,
    close: stopServing,
  };
}

/** Asks every pod, every worker and the stores. Never rejects. */
async function readOverview(deps: OverviewDeps): Promise<Overview> {
  const { podRequests, clock } = deps;
  const at = clock.now();
  const [asked, workers, stores] = await Promise.all([
    podRequests.ask(question, answerWithinMs).catch(() => ({ asked: 1, answers: [] })),
    askWorkers(deps.backend.workerRequests).catch(() => null),
    readStores(deps.backend, at),
  ]);
  const answers = asked.answers.flatMap((text) => answerSchema.safeParse(tryParseJson(text)).data ?? []);
  const pods = answers.map(({ pod }) => pod).sort(compareNames);
  const lastPoint = Math.floor(at.getTime() / pointMs) - 1;
  const state = { ...stores, pods, podsAsked: asked.asked, podsAnswered: answers.length, workers };
  const toAgeSeconds = (since: Date | null) =>
    since === null ? 0 : Math.max(0, at.getTime() - since.getTime()) / 1_000;
  const history = mergeHistories(
    answers.map((answer) => answer.history),
    lastPoint,
  );
  const judged = {
    ...state,
    hooks: { ...history, reasons: [...new Set(answers.flatMap(({ hookFailure }) => hookFailure ?? []))] },
    hasWorkers: deps.hasWorkers,
    queues: stores.queues?.map(({ oldestEnqueuedAt }) => ({ ageSeconds: toAgeSeconds(oldestEnqueuedAt) })) ?? null,
    outboxAgeSeconds: stores.hasOutboxes ? toAgeSeconds(stores.outboxesWaitingSince) : null,
  };
  return {
    ...state,
    at,
    history,
    eventDelay: describeDelays(answers, deps.metrics.eventDeliverySeconds.buckets),
    conditions: findConditions(judged),
  };
}

type Labels = Readonly<Partial<Record<string, string | number>>>;

/** Returns the sum of a metric of this pod over its labels, all or some: the same that Prometheus gets. */
async function readTotal(
  metric: { get(): Promise<{ readonly values: readonly { readonly value: number; readonly labels: Labels }[] }> },
  counts: (labels: Labels) => boolean = () => true,
): Promise<number> {
  const { values } = await metric.get();
  return values.reduce((total, { value, labels }) => (counts(labels) ? total + value : total), 0);
}

/** Throws `UnavailableError`. */
async function askWorkers(workerRequests: PeerRequests): Promise<NonNullable<Overview['workers']>> {
  const { asked, answers } = await workerRequests.ask(workerStateQuestion, answerWithinMs);
  return { states: answers.flatMap((text) => parseWorkerState(text) ?? []).sort(compareNames), asked };
}

function compareNames(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
