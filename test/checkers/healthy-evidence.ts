import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { deriveCreationEventId, deriveEventId } from '@widget-service/shared/domain/event-id.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type {
  CreateOperation,
  HookOperation,
  RecordedBlock,
  RecordedConnection,
  RecordedStream,
  SeenEvent,
} from '../drivers/recording.ts';
import type { Evidence } from './evidence.ts';
import type { AnsweredWidget } from './fold.ts';

type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T;
export type EvidenceDraft = Draft<Evidence>;

/**
 * A small run in which all is well, to be spoiled: two widgets, five hooks (one repeated, one whose answer never came
 * but which was carried out, one that was refused, one that concerns no widget), a stream that resumes in the middle,
 * one with a filter, and one that was revoked and came back while that could not be looked up.
 */
export function spoiled(change: (evidence: EvidenceDraft) => void): Evidence {
  const evidence = structuredClone(healthy) as EvidenceDraft;
  change(evidence);
  return evidence as Evidence;
}

export const epoch = 'k3f9';
const integrationId = '0197a000-0000-7000-8000-00000000000f';
const widgetIds = ['0197a000-0000-7000-8000-000000000001', '0197a000-0000-7000-8000-000000000002'] as const;
const createdAt = '2026-01-01T00:00:00.000Z';

/** Of the hook with this number. */
export function hookId(number: number): string {
  return deriveEventId(integrationId, { kind: 'webhook-id', value: `hook-${number}` });
}

function createdWidget(id: string): AnsweredWidget {
  const times = { createdAt, updatedAt: createdAt, retiredAt: null, lastEventAt: null };
  return { id, name: 'lamp', state: 'active', labels: ['line-1'], owner: null, ...times, version: 1 };
}

interface Told {
  readonly eventId: string;
  readonly kind: 'created' | 'updated' | 'retired';
  readonly origin: 'api' | 'hook';
  readonly widgetId: string | null;
  readonly version: number | null;
  readonly state: 'active' | 'retired';
}

const told: readonly Told[] = [
  ...widgetIds.map((widgetId): Told => {
    const eventId = deriveCreationEventId(widgetId);
    return { eventId, kind: 'created', origin: 'api', widgetId, version: 1, state: 'active' };
  }),
  { eventId: hookId(0), kind: 'updated', origin: 'hook', widgetId: widgetIds[0], version: 2, state: 'active' },
  { eventId: hookId(1), kind: 'retired', origin: 'hook', widgetId: widgetIds[0], version: 3, state: 'retired' },
  { eventId: hookId(2), kind: 'updated', origin: 'hook', widgetId: widgetIds[1], version: 2, state: 'active' },
  { eventId: hookId(4), kind: 'updated', origin: 'hook', widgetId: null, version: null, state: 'active' },
];

const log: readonly LogRecord[] = told.map(({ eventId, kind, origin, widgetId, version, state }, index) => {
  const labels = ['line-1'];
  const widget = version === null ? null : { id: widgetId, state, labels, version };
  const stateChanged = origin === 'api' || kind === 'retired';
  const subject = widgetId === null ? {} : { subject: widgetId };
  const json = JSON.stringify({
    id: eventId,
    type: `widget.${kind}`,
    ...subject,
    data: { origin, stateChanged, widget },
  });
  const known = version === null ? { state: null, stateBefore: null, labels: null } : null;
  const stateBefore = origin === 'api' ? null : ('active' as const);
  const event = {
    eventId,
    type: `widget.${kind}` as const,
    widgetId,
    ...(known ?? { state, stateBefore, labels }),
    json,
  };
  return { epoch, ms: 1_000 + index, seq: index + 1, previousMs: 999 + index, event };
});

/** The events of the log with these numbers, as a stream was sent them. */
const seen = new Map(log.map((record) => [record.seq, seenOf(record)]));

function seenOf({ seq, ms, event }: LogRecord): SeenEvent {
  return {
    type: 'event',
    position: `${epoch}.${ms}.${seq}`,
    epoch,
    seq,
    data: event.json,
    event: JSON.parse(event.json),
  };
}

export function messageOf(name: 'stream.open' | 'stream.gap' | 'stream.closing', position: string, data: object) {
  return { type: 'message' as const, name, position, data: data as Record<string, unknown> };
}

function connectionOf(
  lastEventId: string | null,
  seqs: readonly number[],
  endedAtMs: number | null,
): RecordedConnection {
  const open = messageOf('stream.open', lastEventId ?? `${epoch}.999.0`, { resumed: lastEventId !== null });
  const blocks: RecordedBlock[] = [open, ...seqs.map((seq) => seen.get(seq) as SeenEvent)];
  return { lastEventId, requestedAtMs: 5, openedAtMs: 10, endedAtMs, blocks };
}

/** While nobody could look the token up: neither opened, nor CLOSED. */
const turnedAway: RecordedConnection = {
  ...{ lastEventId: null, requestedAtMs: 4_000, openedAtMs: 4_005, endedAtMs: 4_006 },
  blocks: [messageOf('stream.closing', '', { reason: 'unavailable' })],
};

const streams: readonly RecordedStream[] = [
  {
    name: 'everything',
    subscriptionId: 'all',
    filter: noFilter,
    connections: [connectionOf(null, [1, 2, 3], 60), connectionOf(`${epoch}.1002.3`, [4, 5, 6], null)],
    closedBy: null,
  },
  {
    name: 'retirements',
    subscriptionId: 'retired',
    filter: { ...noFilter, types: ['widget.retired'] },
    connections: [connectionOf(null, [4], null)],
    closedBy: null,
  },
  {
    name: 'revoked',
    subscriptionId: 'gone',
    filter: noFilter,
    connections: [connectionOf(null, [1, 2], 1_500), turnedAway],
    closedBy: { status: 404, isOurs: true },
  },
];

const operation = { startedAtMs: 0, endedAtMs: 5, latencyMs: 5, wasStarved: false, refusal: null, failure: '' };
const unavailable = { type: '/problems/unavailable', code: 'unavailable', status: 503, requestId: 'any' };

function hookOf(number: number, kind: Told['kind'], widgetId: string | null): HookOperation {
  const occurredAt = `2026-01-01T00:00:0${number + 1}.000Z`;
  const eventId = hookId(number);
  return { ...operation, outcome: 'ok', status: 202, eventId, answeredEventId: eventId, kind, occurredAt, widgetId };
}

const unanswered = { outcome: 'unknown', status: 0, answeredEventId: null } as const;
export const refusedForNow = {
  outcome: 'refused',
  status: 503,
  refusal: { contentType: 'application/problem+json', retryAfter: '1', body: JSON.stringify(unavailable) },
} as const;

const hooks: readonly HookOperation[] = [
  hookOf(0, 'updated', widgetIds[0]),
  hookOf(0, 'updated', widgetIds[0]),
  hookOf(1, 'retired', widgetIds[0]),
  { ...hookOf(2, 'updated', widgetIds[1]), ...unanswered },
  { ...hookOf(3, 'updated', widgetIds[1]), ...refusedForNow, answeredEventId: null },
  hookOf(4, 'updated', null),
];

const creates: readonly CreateOperation[] = widgetIds.flatMap((id, index) => {
  const answer = JSON.stringify(createdWidget(id));
  const create = {
    ...operation,
    outcome: 'ok',
    status: 201,
    key: `key-${index}`,
    sent: '{"name":"lamp"}',
    answer,
  } as const;
  return index === 0 ? [create, { ...create }] : [create];
});

const times = { lastEventAt: '2026-01-01T00:00:02.000Z', updatedAt: '2026-01-01T00:00:09.000Z' };
const widgets = widgetIds.map((id, index) => ({
  ...createdWidget(id),
  ...times,
  ...(index === 0
    ? { version: 3, state: 'retired' as const, retiredAt: '2026-01-01T00:00:02.000Z' }
    : { version: 2, lastEventAt: '2026-01-01T00:00:03.000Z' }),
  idempotency: { scope: 'any', key: `key-${index}`, body: JSON.stringify(createdWidget(id)) },
}));

const healthy: Evidence = {
  recording: {
    hooks: [...hooks],
    creates: [...creates],
    revocations: [{ subscriptionId: 'gone', acknowledgedAtMs: 100, acknowledgedAtWallMs: 2_000 }],
    streams: [...streams],
  },
  stored: {
    widgets,
    deliveries: [0, 1, 2, 4].map((number) => ({ eventId: hookId(number), state: 'published', widgetId: null })),
    quarantined: 0,
    log,
    jobsLeft: 0,
    outboxesLeft: 0,
  },
  texts: { logs: 'a hook was accepted' },
  secrets: ['wst_canary'],
  processes: [
    { name: 'pod-0', problems: '', streamsOpen: 2, heapUsedBytes: 31_000_000, heapAtFirstBytes: 30_000_000 },
    { name: 'worker-0', problems: '', streamsOpen: null, heapUsedBytes: 30_000_000, heapAtFirstBytes: 30_000_000 },
  ],
  clientsOpen: 2,
  allowed: { gaps: false },
};
