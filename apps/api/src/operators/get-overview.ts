import { defineRoute, type Route } from '../http/route.ts';
import { documentResponses } from '../schemas/problem.ts';
import type { Overview, OverviewReader } from './open-overview.ts';
import { type OverviewBody, overviewSchema } from './overview-schema.ts';
import { pointMs } from './pod-history.ts';

/** `GET /api/v1/overview`: the whole service at one moment, for the console. */
export function getOverviewRoute({ overview }: { readonly overview: Pick<OverviewReader, 'read'> }): Route {
  return defineRoute({
    schema: {
      operationId: 'example.overview.get',
      summary: 'Show the state of the service',
      description:
        'Returns the last hour, the hook queue, dead deliveries, the pods and workers, and what is wrong now. It asks every pod and worker. What does not answer in time is missing or null, and a condition says so. The same answer is returned for up to one second.',
      response: documentResponses({ 200: { body: overviewSchema, description: 'The state of the service.' } }),
    },
    handler: async () => toBody(await overview.read()),
  });
}

function toBody({ at, history: { lastPoint, ...points }, queues, pods, workers, ...overview }: Overview): OverviewBody {
  const copy = (values: readonly (number | null)[]) => [...values];
  return {
    at: at.toISOString(),
    history: {
      intervalSeconds: pointMs / 1_000,
      endsAt: new Date((lastPoint + 1) * pointMs).toISOString(),
      hooksAccepted: copy(points.hooksAccepted),
      hooksRefused: copy(points.hooksRefused),
      eventsPublished: copy(points.eventsPublished),
      streamsOpen: copy(points.streamsOpen),
      personalStreamsOpen: copy(points.personalStreamsOpen),
    },
    eventDelay: overview.eventDelay,
    queues:
      queues?.map((queue) => ({ ...queue, oldestEnqueuedAt: queue.oldestEnqueuedAt?.toISOString() ?? null })) ?? null,
    outboxesWaitingSince: overview.outboxesWaitingSince?.toISOString() ?? null,
    deadLetters: overview.deadLetters === null ? null : [...overview.deadLetters],
    pods: pods.map(withStartedAt),
    podsAsked: overview.podsAsked,
    podsAnswered: overview.podsAnswered,
    workers: workers?.states.map((state) => ({ ...withStartedAt(state), notReady: [...state.notReady] })) ?? null,
    workersAsked: workers?.asked ?? 0,
    conditions: [...overview.conditions],
  };
}

function withStartedAt<State extends { readonly startedAtMs: number }>({ startedAtMs, ...state }: State) {
  return { ...state, startedAt: new Date(startedAtMs).toISOString() };
}
