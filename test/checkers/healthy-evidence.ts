import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { deriveCreationEventId, deriveEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type {
  CreateOperation,
  HookOperation,
  ReceivedEvent,
  RecordedBlock,
  RecordedConnection,
  RecordedStream,
} from '../drivers/cluster/recording.ts';
import type { Evidence } from './evidence.ts';
import type { AnsweredWidget } from './fold.ts';

type Draft<T> = T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T;
export type EvidenceDraft = Draft<Evidence>;

/**
 * Returns a copy of the evidence of a small run without violations, after `change`. The run has two widgets and five
 * hooks: one repeated, one processed although its answer never came, one refused, and one without a widget. It has a
 * stream that resumes in the middle, a filtered stream, and a revoked stream that reconnected while its token could not
 * be read.
 */
export function makeEvidence(change: (evidence: EvidenceDraft) => void): Evidence {
  const evidence = structuredClone(healthy) as EvidenceDraft;
  change(evidence);
  return evidence as Evidence;
}

export const epoch = 'k3f9';
const integrationId = '0197a000-0000-7000-8000-00000000000f';
const widgetIds = ['0197a000-0000-7000-8000-000000000001', '0197a000-0000-7000-8000-000000000002'] as const;
const createdAt = '2026-01-01T00:00:00.000Z';
const payload = '{"n":9007199254740993}';

/** Returns the event id of the hook with this number. */
export function deriveHookId(number: number): string {
  return deriveEventId(integrationId, { kind: 'webhook-id', value: `hook-${number}` });
}

function makeCreatedWidget(id: string): AnsweredWidget {
  const times = { createdAt, updatedAt: createdAt, retiredAt: null, lastEventAt: null };
  return { id, name: 'lamp', state: 'active', labels: ['line-1'], owner: null, ...times, version: 1 };
}

interface EventSummary {
  readonly eventId: string;
  readonly kind: 'created' | 'updated' | 'retired';
  readonly origin: 'api' | 'hook';
  readonly widgetId: string | null;
  readonly version: number | null;
  readonly state: 'active' | 'retired';
}

const publishedEvents: readonly EventSummary[] = [
  ...widgetIds.map((widgetId): EventSummary => {
    const eventId = deriveCreationEventId(widgetId);
    return { eventId, kind: 'created', origin: 'api', widgetId, version: 1, state: 'active' };
  }),
  { eventId: deriveHookId(0), kind: 'updated', origin: 'hook', widgetId: widgetIds[0], version: 2, state: 'active' },
  { eventId: deriveHookId(1), kind: 'retired', origin: 'hook', widgetId: widgetIds[0], version: 3, state: 'retired' },
  { eventId: deriveHookId(2), kind: 'updated', origin: 'hook', widgetId: widgetIds[1], version: 2, state: 'active' },
  { eventId: deriveHookId(4), kind: 'updated', origin: 'hook', widgetId: null, version: null, state: 'active' },
];

const log: readonly LogRecord[] = publishedEvents.map(({ eventId, kind, origin, widgetId, version, state }, index) => {
  const labels = ['line-1'];
  const widget = version === null ? null : { id: widgetId, state, labels, version };
  const stateChanged = origin === 'api' || kind === 'retired';
  const subject = widgetId === null ? {} : { subject: widgetId };
  const data = `${JSON.stringify({ origin, stateChanged, widget }).slice(0, -1)},"payload":${payload}}`;
  const json = `${JSON.stringify({ id: eventId, type: `widget.${kind}`, ...subject }).slice(0, -1)},"data":${data}}`;
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

/** The events of the log by `seq`, as a stream receives them. */
const seen = new Map(log.map((record) => [record.seq, toReceivedEvent(record)]));

function toReceivedEvent({ seq, ms, event }: LogRecord): ReceivedEvent {
  return {
    type: 'event',
    position: `${epoch}.${ms}.${seq}`,
    epoch,
    seq,
    data: event.json,
    event: JSON.parse(event.json),
  };
}

export function makeMessage(name: 'stream.open' | 'stream.gap' | 'stream.closing', position: string, data: object) {
  return { type: 'message' as const, name, position, data: data as Record<string, unknown> };
}

function makeConnection(
  lastEventId: string | null,
  seqs: readonly number[],
  endedAtMs: number | null,
): RecordedConnection {
  const open = makeMessage('stream.open', lastEventId ?? `${epoch}.999.0`, { resumed: lastEventId !== null });
  const blocks: RecordedBlock[] = [open, ...seqs.map((seq) => seen.get(seq) as ReceivedEvent)];
  return { lastEventId, requestedAtMs: 5, openedAtMs: 10, endedAtMs, blocks };
}

/** The token store was unavailable: the stream was neither opened nor CLOSED. */
const rejectedConnection: RecordedConnection = {
  ...{ lastEventId: null, requestedAtMs: 4_000, openedAtMs: 4_005, endedAtMs: 4_006 },
  blocks: [makeMessage('stream.closing', '', { reason: 'unavailable' })],
};

const streams: readonly RecordedStream[] = [
  {
    name: 'everything',
    subscriptionId: 'all',
    filter: noFilter,
    connections: [makeConnection(null, [1, 2, 3], 60), makeConnection(`${epoch}.1002.3`, [4, 5, 6], null)],
    closedBy: null,
  },
  {
    name: 'retirements',
    subscriptionId: 'retired',
    filter: { ...noFilter, types: ['widget.retired'] },
    connections: [makeConnection(null, [4], null)],
    closedBy: null,
  },
  {
    name: 'revoked',
    subscriptionId: 'gone',
    filter: noFilter,
    connections: [makeConnection(null, [1, 2], 1_500), rejectedConnection],
    closedBy: { status: 404, isOurs: true },
  },
];

const operation = { startedAtMs: 0, endedAtMs: 5, latencyMs: 5, wasStarved: false, refusal: null, failure: '' };
const unavailable = { type: '/problems/unavailable', code: 'unavailable', status: 503, requestId: 'any' };

function makeHook(number: number, kind: EventSummary['kind'], widgetId: string | null): HookOperation {
  const occurredAt = `2026-01-01T00:00:0${number + 1}.000Z`;
  const eventId = deriveHookId(number);
  const hook = { eventId, answeredEventId: eventId, kind, occurredAt, widgetId, payload, revocation: null };
  return { ...operation, outcome: 'ok', status: 202, ...hook };
}

const unanswered = { outcome: 'unknown', status: 0, answeredEventId: null } as const;
export const temporaryRefusal = {
  outcome: 'refused',
  status: 503,
  refusal: { contentType: 'application/problem+json', retryAfter: '1', body: JSON.stringify(unavailable) },
} as const;

/** Of hook 4, which was sent before. */
const tokenRevocation = { integrationId, acknowledgedAtMs: 90 };

const hooks: readonly HookOperation[] = [
  makeHook(0, 'updated', widgetIds[0]),
  makeHook(0, 'updated', widgetIds[0]),
  makeHook(1, 'retired', widgetIds[0]),
  { ...makeHook(2, 'updated', widgetIds[1]), ...unanswered },
  { ...makeHook(3, 'updated', widgetIds[1]), ...temporaryRefusal, answeredEventId: null },
  { ...makeHook(4, 'updated', null), revocation: tokenRevocation },
];

const creates: readonly CreateOperation[] = widgetIds.flatMap((id, index) => {
  const answer = JSON.stringify(makeCreatedWidget(id));
  const create = {
    ...operation,
    outcome: 'ok',
    status: 201,
    isByPerson: true,
    key: `key-${index}`,
    sent: '{"name":"lamp"}',
    answer,
  } as const;
  return index === 0 ? [create, { ...create }] : [create];
});

const times = { lastEventAt: '2026-01-01T00:00:02.000Z', updatedAt: '2026-01-01T00:00:09.000Z' };
const widgets = widgetIds.map((id, index) => ({
  ...makeCreatedWidget(id),
  ...times,
  ...(index === 0
    ? { version: 3, state: 'retired' as const, retiredAt: '2026-01-01T00:00:02.000Z' }
    : { version: 2, lastEventAt: '2026-01-01T00:00:03.000Z' }),
  idempotency: { scope: 'any', key: `key-${index}`, body: JSON.stringify(makeCreatedWidget(id)) },
}));

const healthy: Evidence = {
  recording: {
    hooks: [...hooks],
    creates: [...creates],
    revocations: [{ subscriptionId: 'gone', isConfirmed: true, acknowledgedAtMs: 100, acknowledgedAtWallMs: 2_000 }],
    tokenRevocations: [tokenRevocation],
    streams: [...streams],
  },
  stored: {
    widgets,
    deliveries: [0, 1, 2, 4].map((number) => ({ eventId: deriveHookId(number), state: 'published', widgetId: null })),
    quarantined: 0,
    auditEvents: [
      ...widgetIds.map((targetId) => ({ action: 'widget.created', outcome: 'succeeded', targetId })),
      { action: 'subscription.revoked', outcome: 'succeeded', targetId: 'gone' },
      { action: 'integration.revoked', outcome: 'succeeded', targetId: integrationId },
    ],
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
  allowed: { gaps: false, staleMs: 0 },
};
