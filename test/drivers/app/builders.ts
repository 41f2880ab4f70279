import { randomBytes, randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { IdempotencyRecord } from '@widget-service/shared/domain/idempotent-create.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { WidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import type { StoredAuditEvent } from '@widget-service/shared/entities/audit-event.ts';
import type { Grant, IntegrationMembers } from '@widget-service/shared/entities/grant.ts';
import type { HookSource } from '@widget-service/shared/entities/hook-source.ts';
import type { QuarantinedText } from '@widget-service/shared/entities/quarantined-text.ts';
import type { HookRefusal, HookSample } from '@widget-service/shared/entities/refused-request.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type { LogAppend } from '@widget-service/shared/ports/event-log.ts';
import type { WidgetCreation } from '@widget-service/shared/ports/widget-store.ts';

/** Has milliseconds, so that a test notices a store that drops them. */
export const someTime = new Date('2026-03-01T10:00:00.123Z');

/** Texts that a store does not return unchanged if it interprets, normalises, trims or truncates them. */
export const awkwardTexts = [
  '$where',
  'a.b.c',
  '__proto__',
  ' two  spaces ',
  'Ünï — 日本語 🦄 e\u0301 é',
  'quote " apostrophe \' backslash \\ percent % null',
  '0123',
  '{"json":true}',
] as const;

/** A payload whose exact text is lost when a store parses it and serialises it again. */
export const awkwardPayload =
  '{ "$set": {"a.b": 1.0, "a.b": 2}, "__proto__": null, "":"", "n": 1e400, "big": 12345678901234567890, "u": "\\u0000\\ud83e 🦄" }';

export function aWidget(overrides: Partial<Widget> = {}): Widget {
  const createdAt = overrides.createdAt ?? someTime;
  return {
    id: createUuidV7(),
    name: 'A widget',
    state: 'active',
    labels: [],
    owner: null,
    createdAt,
    updatedAt: createdAt,
    retiredAt: null,
    lastEventAt: null,
    version: 1,
    ...overrides,
  };
}

/** The outbox entry of a widget's creation. */
function aCreatedEntry(widget: Widget): OutboxEntry {
  return {
    eventId: randomUUID(),
    kind: 'created',
    integrationId: null,
    occurredAt: widget.createdAt.toISOString(),
    receivedAt: widget.createdAt,
    payload: null,
    late: false,
    stateBefore: null,
    after: toEntryAfter(widget),
  };
}

export function aCreation(widget: Widget = aWidget(), idempotency: IdempotencyRecord | null = null): WidgetCreation {
  return { widget, created: aCreatedEntry(widget), idempotency };
}

export function anIdempotencyRecord(overrides: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return { scope: randomUUID(), key: randomUUID(), fingerprint: 'f'.repeat(64), body: '{"id":"1"}', ...overrides };
}

export function aDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    eventId: randomUUID(),
    integrationId: randomUUID(),
    kind: 'updated',
    occurredAt: '2026-03-01T10:00:00Z',
    widgetId: createUuidV7(),
    payload: '{"reading":1}',
    receivedAt: someTime,
    redrive: false,
    ...overrides,
  };
}

/** Returns the members of a widget that an outbox entry keeps. */
function toEntryAfter(widget: Widget): OutboxEntry['after'] {
  const { state, updatedAt, retiredAt, lastEventAt, version } = widget;
  return { state, updatedAt, retiredAt, lastEventAt, version };
}

/** The outbox entry of a hook that raised `widget` to `version`. */
export function anEntry(widget: Widget, version: number, overrides: Partial<OutboxEntry> = {}): OutboxEntry {
  return {
    eventId: randomUUID(),
    kind: 'updated',
    integrationId: randomUUID(),
    occurredAt: '2026-03-01T10:00:00Z',
    receivedAt: someTime,
    payload: '{"reading":1}',
    late: false,
    stateBefore: widget.state,
    after: { ...toEntryAfter(widget), version, lastEventAt: someTime },
    ...overrides,
  };
}

export function anEvent(overrides: Partial<WidgetEvent> = {}): WidgetEvent {
  const eventId = overrides.eventId ?? randomUUID();
  return {
    eventId,
    type: 'widget.updated',
    widgetId: createUuidV7(),
    state: 'active',
    stateBefore: 'active',
    labels: [],
    json: `{"specversion":"1.0","id":"${eventId}"}`,
    ...overrides,
  };
}

/** The append of a widget's event. Its dedupe mark is the watermark of the widget. */
export function aVersionAppend(widgetId: string, version: number, overrides: Partial<WidgetEvent> = {}): LogAppend {
  return { event: anEvent({ widgetId, ...overrides }), mark: { kind: 'version', widgetId, version } };
}

/** The append of an event without a known widget. Its dedupe mark is the event id. */
export function anEventAppend(overrides: Partial<WidgetEvent> = {}): LogAppend {
  const event = anEvent({ widgetId: null, state: null, stateBefore: null, labels: null, ...overrides });
  return { event, mark: { kind: 'event', eventId: event.eventId } };
}

export function aUser(overrides: Partial<User> = {}): User {
  return {
    id: randomUUID(),
    email: `${randomUUID()}@example.org`,
    name: 'Kim Doe',
    role: 'editor',
    disabled: false,
    passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    createdAt: someTime,
    lastSignInAt: null,
    mustChangePassword: false,
    ...overrides,
  };
}

export function aGrant(overrides: Partial<Grant> = {}): Grant {
  return {
    id: createUuidV7(),
    name: 'grant',
    token: { digest: randomBytes(32).toString('hex'), sealedSecret: null },
    previousToken: null,
    expiresAt: null,
    tokenIssuedAt: someTime,
    createdAt: someTime,
    createdBy: randomUUID(),
    lastUsedAt: null,
    ...overrides,
  };
}

export function aRefusal(overrides: Partial<HookRefusal> = {}): HookRefusal {
  return {
    integrationId: randomUUID(),
    requestId: randomUUID(),
    refusedAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
    code: 'invalid-request',
    status: 400,
    detail: 'The request is not valid; "errors" names what is wrong.',
    errors: [],
    clientAddress: '198.51.100.7',
    webhookId: null,
    unlisted: 0,
    ...overrides,
  };
}

export function aSample(overrides: Partial<HookSample> = {}): HookSample {
  const { integrationId, requestId, refusedAt, expiresAt } = aRefusal();
  return {
    ...{ integrationId, requestId, refusedAt, expiresAt, code: 'hook-not-mappable' },
    refusal: { step: 'kind', reason: 'there is no text', pointer: '#/action' },
    headers: { 'content-type': ['application/json'], 'x-twice': ['1', '2'] },
    withheldHeaders: ['authorization'],
    body: '{"number":1.10}',
    ...overrides,
  };
}

/** What an integration has beyond a grant, if nobody chose anything. */
export const plainIntegration: IntegrationMembers = {
  deduplicateByContent: true,
  rate: null,
  source: null,
  samplesKeptUntil: null,
};

/** A role that an admin changed just now. Its time is the current one: stores remove events that are too old. */
export function anAuditEvent(overrides: Partial<StoredAuditEvent> = {}): StoredAuditEvent {
  return {
    id: createUuidV7(),
    occurredAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
    action: 'user.changed',
    operation: 'example.users.update',
    outcome: 'succeeded',
    code: null,
    actor: { kind: 'user', id: randomUUID() },
    actorName: 'Kim Doe',
    target: { kind: 'user', id: randomUUID() },
    targetName: 'viewer@example.org',
    clientAddress: '198.51.100.7',
    emailHmac: null,
    before: { role: 'viewer' },
    after: { role: 'admin' },
    requestId: randomUUID(),
    unlisted: 0,
    ...overrides,
  };
}

export function aQuarantinedText(overrides: Partial<QuarantinedText> = {}): QuarantinedText {
  const { text = '{"version":1,"items":[{"t":"d","p":"half a j' } = overrides;
  return {
    id: randomUUID(),
    reason: 'unreadable',
    jobId: `job-${randomUUID()}`,
    integrationId: null,
    quarantinedAt: someTime,
    sizeBytes: Buffer.byteLength(text),
    text,
    ...overrides,
  };
}

/** Names of values come from senders, so a store may not read them as operators or paths. */
export const awkwardSource: HookSource = {
  preset: 'custom',
  scheme: null,
  mapping: {
    only: [{ header: 'x-kind', in: awkwardTexts }],
    kind: {
      from: '/type',
      // The service refuses a body with a member of the name `__proto__`.
      values: Object.fromEntries(awkwardTexts.filter((text) => text !== '__proto__').map((text) => [text, 'updated'])),
      otherwise: 'refuse',
    },
    occurredAt: { now: true, format: 'rfc3339', otherwise: 'now' },
    widgetId: null,
    id: { all: [{ from: '/$where' }, { value: 'a.b' }] },
    payload: { from: '' },
  },
};
