import type { ReadState } from '@widget-service/shared/ports/process-states.ts';
import { readNames } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { documentResponses } from '../schemas/problem.ts';
import { findConditions } from './conditions.ts';
import { type OverviewBody, overviewSchema } from './overview-schema.ts';
import { addHours, describeDelays, pointMs } from './pod-state.ts';

/** How long one answer serves all requests: many consoles may ask at once. */
const keptMs = 1_000;

/** `GET /api/v1/overview`: the whole service at one moment, for the console. */
export function getOverviewRoute(deps: RouteDeps): Route {
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
      const nowMs = deps.clock.monotonicMs();
      if (kept === null || nowMs >= kept.untilMs) kept = { untilMs: nowMs + keptMs, body: readOverview(deps) };
      return kept.body;
    },
  });
}

/** Reads the states of all processes, and the stores. Never rejects. */
async function readOverview(deps: RouteDeps): Promise<OverviewBody> {
  const at = deps.clock.now();
  const [own, written, { queues, overdue, deadLetters }] = await Promise.all([
    deps.describePod(),
    deps.processStates.list().catch(() => null),
    readStores(deps, at),
  ]);
  const outboxesWaitingSince = overdue?.[0]?.since ?? null;
  const processes = [{ state: own, ageMs: 0 }, ...(written ?? []).filter(({ state }) => state.id !== own.id)];
  const pods = processes.flatMap(({ state }) => state.pod ?? []);
  const lastPoint = Math.floor(at.getTime() / pointMs) - 1;
  const toHour = ({ hour }: (typeof pods)[number]) => hour;
  const { hooksFailed, lastPoint: _, ...hour } = addHours(pods.map(toHour), lastPoint);
  const toAgeSeconds = (since: Date | null) =>
    since === null ? 0 : Math.max(0, at.getTime() - since.getTime()) / 1_000;
  const conditions = findConditions({
    hooksAccepted: hour.hooksAccepted,
    hooksFailed,
    queueAgesSeconds: queues?.map(({ oldestEnqueuedAt }) => toAgeSeconds(oldestEnqueuedAt)) ?? null,
    outboxAgeSeconds: overdue === null ? null : toAgeSeconds(outboxesWaitingSince),
    deadLetters,
    processes,
    knowsOthers: written !== null,
    hasWorkers: deps.hasWorkers,
  });
  return {
    at: at.toISOString(),
    history: { intervalSeconds: pointMs / 1_000, endsAt: new Date((lastPoint + 1) * pointMs).toISOString(), ...hour },
    eventDelay: describeDelays(
      pods.map(({ eventDelays }) => eventDelays),
      deps.metrics.eventDeliverySeconds.buckets,
    ),
    queues:
      queues?.map(({ isActiveElsewhere: _, oldestEnqueuedAt, ...queue }) => ({
        ...queue,
        oldestEnqueuedAt: oldestEnqueuedAt?.toISOString() ?? null,
      })) ?? null,
    outboxesWaitingSince: outboxesWaitingSince?.toISOString() ?? null,
    deadLetters,
    ...toProcessBodies(processes),
    ...(written === null ? { workers: null } : {}),
    conditions,
  };
}

/** The most dead deliveries to count: beyond that, it is enough to know that there are many. */
const deadLettersMax = 10_000;
/** How many integrations with dead deliveries are shown: those with the most. */
const integrationsMax = 100;

/** Reads the stores. What does not answer is null. Never rejects. */
async function readStores(deps: RouteDeps, now: Date) {
  const [queues, overdue, deadLetters] = await Promise.all([
    deps.hookQueue.inspect().catch(() => null),
    deps.outboxes.findOverdue(now, 1).catch(() => null),
    readDeadLetters(deps).catch(() => null),
  ]);
  return { queues, overdue, deadLetters };
}

/** Counts dead deliveries by integration, without deleted integrations, whose deliveries nobody can redrive. */
async function readDeadLetters({ ledger, integrations }: RouteDeps) {
  const counts = [...(await ledger.countDead(deadLettersMax))].sort(([, one], [, other]) => other - one);
  const most = counts.slice(0, integrationsMax);
  const ids = most.map(([integrationId]) => integrationId);
  const names = await readNames(integrations, ids);
  return most.flatMap(([integrationId, count]) => {
    const integrationName = names.get(integrationId);
    return integrationName === undefined ? [] : [{ integrationId, integrationName, count }];
  });
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
