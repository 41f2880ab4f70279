import { z } from 'zod';
import { timestamp } from '../schemas/text.ts';

const points = z.array(z.int().nullable());

const historySchema = z
  .object({
    intervalSeconds: z.int().describe('How long one point lasts.'),
    endsAt: timestamp.describe('The end of the last point.'),
    hooksAccepted: points.describe('Hooks accepted within each point, by all pods.'),
    hooksRefused: points.describe('Hooks refused within each point, by all pods.'),
    eventsPublished: points.describe('Events published within each point.'),
    streamsOpen: points.describe('Streams open at the end of each point, on all pods.'),
    personalStreamsOpen: points.describe('How many of them were personal streams, such as those of consoles.'),
  })
  .describe(
    'The last hour, the oldest point first. A point is null if no pod knows it. Pods keep it in memory: one that starts again begins anew.',
  );

const delayMs = z.int().nullable();

const eventDelaySchema = z
  .object({
    windowSeconds: z.int().describe('The events of so many seconds count.'),
    p50Ms: delayMs.describe('Half of the events took no longer, in milliseconds.'),
    p95Ms: delayMs.describe('95 % of the events took no longer, in milliseconds.'),
  })
  .describe(
    'How long events took from the acceptance of their hook, or of the creation of a widget, until a server process wrote them to its open streams. Estimated from buckets. A delay is null if no process measured an event in this time.',
  );

const queueSchema = z.object({
  queue: z.string().describe('The name of the queue in the store.'),
  partition: z.int(),
  jobs: z.int().describe('Jobs that wait or are being processed. A job holds one hook or many.'),
  oldestEnqueuedAt: timestamp.nullable(),
});

const deadLettersSchema = z.object({
  integrationId: z.string(),
  integrationName: z.string(),
  count: z.int().describe('Dead deliveries. Counting stops at 10 000 of all integrations together.'),
});

const workerSchema = z.object({
  name: z.string().describe('Its host name and process id.'),
  version: z.string(),
  startedAt: timestamp,
  ageSeconds: z.int().describe('How old its state is. It writes one every 5 s.'),
  notReady: z.array(z.string()).describe('Why it is not ready. Empty: it is.'),
});

const podSchema = workerSchema.extend({
  streamsOpen: z.int(),
  streamsMax: z.int().describe('`STREAMS_PER_POD`.'),
  lagEvents: z.int().nullable().describe('How many events of the log the pod has not read. Null: unknown.'),
});

const conditionSchema = z.object({
  code: z.string().describe('Stable, for programs.'),
  severity: z.enum(['page', 'ticket']).describe('`page`: users notice now. `ticket`: it can wait for working hours.'),
  title: z.string(),
  detail: z.string().describe('What was seen, and the next step.'),
  runbook: z.string().nullable().describe('The page in docs/runbooks that says more.'),
});

const makePoints = (first: number, second: number, third: number): (number | null)[] => [
  ...Array.from({ length: 237 }, () => null),
  first,
  second,
  third,
];

const exampleOverview = {
  at: '2026-03-01T10:00:04.000Z',
  history: {
    intervalSeconds: 15,
    endsAt: '2026-03-01T10:00:00.000Z',
    hooksAccepted: makePoints(150, 149, 152),
    hooksRefused: makePoints(0, 0, 1),
    eventsPublished: makePoints(150, 149, 152),
    streamsOpen: makePoints(12, 12, 13),
    personalStreamsOpen: makePoints(2, 2, 3),
  },
  eventDelay: { windowSeconds: 300, p50Ms: 14, p95Ms: 47 },
  queues: [{ queue: 'hooks-4-0', partition: 0, jobs: 2, oldestEnqueuedAt: '2026-03-01T10:00:03.900Z' }],
  outboxesWaitingSince: null,
  deadLetters: [{ integrationId: '5b1d6f0a-8c2e-4f7b-9d3a-2e6c1f0b7a98', integrationName: 'Plant north', count: 3 }],
  pods: [
    {
      name: 'api-7c9d/1',
      version: '0.1.0',
      startedAt: '2026-03-01T09:57:00.000Z',
      ageSeconds: 2,
      streamsOpen: 13,
      streamsMax: 10_000,
      lagEvents: 0,
      notReady: [],
    },
  ],
  workers: [
    { name: 'worker-5b8f/1', version: '0.1.0', startedAt: '2026-03-01T09:57:00.000Z', ageSeconds: 4, notReady: [] },
  ],
  conditions: [
    {
      code: 'dead-letters',
      severity: 'ticket' as const,
      title: 'Dead deliveries of Plant north',
      detail: '3 hooks could not be processed. Look at their reasons, remove the cause, and redrive them.',
      runbook: 'dead-letters',
    },
  ],
};

/** The response of `GET /api/v1/overview`. */
export const overviewSchema = z
  .object({
    at: timestamp,
    history: historySchema,
    eventDelay: eventDelaySchema,
    queues: z
      .array(queueSchema)
      .nullable()
      .describe('The partitions of the hook queue. Null: the queue did not answer.'),
    outboxesWaitingSince: timestamp
      .nullable()
      .describe(
        'Since when the oldest change of a widget waits to be published. Null: none waits, or the store did not answer.',
      ),
    deadLetters: z
      .array(deadLettersSchema)
      .nullable()
      .describe('Integrations with dead deliveries, at most 100, the most first. Null: the store did not answer.'),
    pods: z.array(podSchema).describe('Those that wrote their state within the last minute.'),
    workers: z
      .array(workerSchema)
      .nullable()
      .describe(
        'The same for workers. Null: Redis did not answer. Empty on the embedded service, which processes hooks itself.',
      ),
    conditions: z.array(conditionSchema).describe('What is wrong now, the worst first. Empty: nothing.'),
  })
  .meta({ id: 'Overview', examples: [exampleOverview] });

export type OverviewBody = z.infer<typeof overviewSchema>;
