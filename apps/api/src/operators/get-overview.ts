import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ProcessState, ReadState } from '@widget-service/shared/ports/process-states.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { documentResponses } from '../schemas/problem.ts';
import { findConditions } from './conditions.ts';
import { addHours, describeDelays, pointMs } from './hour-of-pod.ts';
import { type OverviewBody, overviewSchema } from './overview-schema.ts';
import { readStores } from './read-stores.ts';

export interface OverviewDeps {
  readonly backend: Pick<Backend, 'hookQueue' | 'outboxes' | 'ledger' | 'integrations' | 'processStates'>;
  readonly describePod: () => Promise<ProcessState>;
  /** False: this process processes hooks itself. */
  readonly hasWorkers: boolean;
  readonly clock: Clock;
  /** Upper bounds of the buckets of delays, in seconds. */
  readonly delayBounds: readonly number[];
}

/** Many consoles ask at once: they share one answer for this long. */
const keptMs = 1_000;

/** `GET /api/v1/overview`: the whole service at one moment, for the console. */
export function getOverviewRoute({ overview }: { readonly overview: OverviewDeps }): Route {
  let kept: { readonly untilMs: number; readonly body: Promise<OverviewBody> } | null = null;
  return defineRoute({
    schema: {
      operationId: 'example.overview.get',
      summary: 'Show the state of the service',
      description:
        'Returns the last hour, the hook queue, dead deliveries, the pods and workers, and what is wrong now. Every pod and worker writes its state every 5 s; `ageSeconds` says how old it is, and one that has written none for a minute is missing. What does not answer in time is null, and a condition says so. The same answer is returned for up to one second.',
      response: documentResponses({ 200: { body: overviewSchema, description: 'The state of the service.' } }),
    },
    handler: async () => {
      const nowMs = overview.clock.monotonicMs();
      if (kept === null || nowMs >= kept.untilMs) kept = { untilMs: nowMs + keptMs, body: readOverview(overview) };
      return kept.body;
    },
  });
}

/** Reads the states of all processes, and the stores. Never rejects. */
async function readOverview(deps: OverviewDeps): Promise<OverviewBody> {
  const at = deps.clock.now();
  const [own, written, stores] = await Promise.all([
    deps.describePod(),
    deps.backend.processStates.list().catch(() => null),
    readStores(deps.backend, at),
  ]);
  const processes = [{ state: own, ageMs: 0 }, ...(written ?? []).filter(({ state }) => state.id !== own.id)];
  const pods = processes.flatMap(({ state }) => state.pod ?? []);
  const lastPoint = Math.floor(at.getTime() / pointMs) - 1;
  const {
    hooksFailed,
    lastPoint: _,
    ...hour
  } = addHours(
    pods.map((pod) => pod.hour),
    lastPoint,
  );
  const toAgeSeconds = (since: Date | null) =>
    since === null ? 0 : Math.max(0, at.getTime() - since.getTime()) / 1_000;
  const conditions = findConditions({
    hooksAccepted: hour.hooksAccepted,
    hooksFailed,
    queueAgesSeconds: stores.queues?.map(({ oldestEnqueuedAt }) => toAgeSeconds(oldestEnqueuedAt)) ?? null,
    outboxAgeSeconds: stores.hasOutboxes ? toAgeSeconds(stores.outboxesWaitingSince) : null,
    deadLetters: stores.deadLetters,
    processes,
    knowsOthers: written !== null,
    hasWorkers: deps.hasWorkers,
  });
  return {
    at: at.toISOString(),
    history: { intervalSeconds: pointMs / 1_000, endsAt: new Date((lastPoint + 1) * pointMs).toISOString(), ...hour },
    eventDelay: describeDelays(
      pods.map(({ eventDelays }) => eventDelays),
      deps.delayBounds,
    ),
    queues: toQueueBodies(stores.queues),
    outboxesWaitingSince: stores.outboxesWaitingSince?.toISOString() ?? null,
    deadLetters: stores.deadLetters,
    ...toProcessBodies(processes),
    ...(written === null ? { workers: null } : {}),
    conditions,
  };
}

function toQueueBodies(queues: Awaited<ReturnType<typeof readStores>>['queues']): OverviewBody['queues'] {
  if (queues === null) return null;
  return queues.map((queue) => ({ ...queue, oldestEnqueuedAt: queue.oldestEnqueuedAt?.toISOString() ?? null }));
}

function toProcessBodies(processes: readonly Pick<ReadState, 'state' | 'ageMs'>[]) {
  const sorted = processes.toSorted((one, other) => (one.state.name < other.state.name ? -1 : 1));
  const bodies = sorted.map(({ state: { name, version, startedAtMs, notReady, pod }, ageMs }) => ({
    pod,
    body: {
      name,
      version,
      startedAt: new Date(startedAtMs).toISOString(),
      ageSeconds: Math.round(ageMs / 1_000),
      notReady,
    },
  }));
  return {
    pods: bodies.flatMap(({ pod, body }) => {
      if (pod === null) return [];
      const { streamsOpen, streamsMax, lagEvents } = pod;
      return { ...body, streamsOpen, streamsMax, lagEvents };
    }),
    workers: bodies.flatMap(({ pod, body }) => (pod === null ? body : [])),
  };
}
