// What each stored entity must be. A column or a document may hold anything: somebody may have changed it by hand.

import type { AuditEvent } from '../domain/audit-event.ts';
import { auditActions, auditActorKinds, auditOutcomes, auditTargetKinds } from '../domain/audit-event.ts';
import type { EventFilter } from '../domain/event-filter.ts';
import { hookKinds, widgetEventTypes } from '../domain/event-kind.ts';
import type { Grant, PreviousToken } from '../domain/grant.ts';
import { type HookSource, sourcePresets } from '../domain/hook-source.ts';
import type { LogPosition } from '../domain/log-position.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import { permissions, roles } from '../domain/role.ts';
import { parseUuid } from '../domain/uuid.ts';
import { type HookChangedMembers, type Widget, type WidgetOwner, widgetStates } from '../domain/widget.ts';
import {
  type DeliveryEffect,
  type DeliverySummary,
  deadReasons,
  deliveryStates,
  type LedgerRow,
} from '../ports/delivery-ledger.ts';
import type { Integration, ProvisionToken, Subscription } from '../ports/grant-store.ts';
import type { PersonalStream } from '../ports/personal-stream-store.ts';
import { type QuarantineRow, quarantineReasons } from '../ports/quarantine-store.ts';
import type { HookRefusal } from '../ports/refusal-store.ts';
import type { HookSample } from '../ports/sample-store.ts';
import type { Session } from '../ports/session-store.ts';
import type { User } from '../ports/user-store.ts';
import type { Shape } from './row-reader.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const filled: Check = (value) => typeof value === 'string' && value !== '';
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const uuid: Check = (value) => typeof value === 'string' && parseUuid(value) === value;
/** A time that RFC 3339 can write: from year 0 to 9999. */
const time: Check = (value) =>
  value instanceof Date && value.getTime() >= -62_167_219_200_000 && value.getTime() <= 253_402_300_799_999;
const record: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const mapOf =
  (check: Check): Check =>
  (value) =>
    record(value) && Object.values(value as object).every(check);
/** An object with these members. Others are allowed: a newer version may have added them. */
function object<T>(shape: Shape<T>): Check {
  const checks = Object.entries(shape) as [string, Check][];
  return (value) => record(value) && checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

const hookChangedShape: Shape<HookChangedMembers> = {
  state: oneOf(widgetStates),
  updatedAt: time,
  retiredAt: orNull(time),
  lastEventAt: orNull(time),
  version: count,
};

export const widgetShape: Shape<Widget> = {
  ...hookChangedShape,
  id: uuid,
  name: filled,
  version: (value) => count(value) && value !== 0,
  labels: listOf(text),
  owner: orNull(object<WidgetOwner>({ userId: uuid, email: filled, notify: flag })),
  createdAt: time,
};

const outboxEntryShape: Shape<OutboxEntry> = {
  eventId: uuid,
  kind: oneOf(hookKinds),
  integrationId: orNull(text),
  occurredAt: text,
  receivedAt: time,
  payload: orNull(text),
  late: flag,
  stateBefore: orNull(oneOf(widgetStates)),
  after: object(hookChangedShape),
};

export const loadedWidgetShape = { widget: object(widgetShape), outbox: listOf(object(outboxEntryShape)) };

export const deliverySummaryShape: Shape<DeliverySummary> = {
  eventId: uuid,
  integrationId: uuid,
  kind: text,
  occurredAt: text,
  widgetId: orNull(uuid),
  receivedAt: time,
  state: oneOf(deliveryStates),
  attempts: count,
  duplicates: count,
  reason: orNull(oneOf(deadReasons)),
  publishedAt: orNull(time),
  position: orNull(object<LogPosition>({ epoch: text, ms: count, seq: count })),
  effect: orNull(
    object<DeliveryEffect>({ version: count, state: oneOf(widgetStates), stateChanged: flag, late: flag }),
  ),
};

export const ledgerRowShape: Shape<LedgerRow> = { ...deliverySummaryShape, payload: orNull(text) };

const grantShape: Shape<Grant> = {
  id: uuid,
  name: text,
  token: object({ digest: text, sealedSecret: orNull(text) }),
  tokenIssuedAt: time,
  previousToken: orNull(object<PreviousToken>({ digest: text, sealedSecret: orNull(text), expiresAt: time })),
  expiresAt: orNull(time),
  createdAt: time,
  createdBy: uuid,
  lastUsedAt: orNull(time),
};

export const subscriptionShape: Shape<Subscription> = {
  ...grantShape,
  filter: object<EventFilter>({
    types: orNull(listOf(oneOf(widgetEventTypes))),
    widgetIds: orNull(listOf(uuid)),
    states: orNull(listOf(oneOf(widgetStates))),
    labels: orNull(listOf(text)),
  }),
};

export const integrationShape: Shape<Integration> = {
  ...grantShape,
  deduplicateByContent: flag,
  rate: orNull(count),
  source: orNull(
    object<HookSource>({
      preset: oneOf(sourcePresets),
      scheme: orNull(record),
      mapping: object<HookSource['mapping']>({
        only: listOf(object<HookSource['mapping']['only'][number]>({ place: record, in: listOf(text) })),
        kind: object<HookSource['mapping']['kind']>({ place: record, values: mapOf(text), otherwise: text }),
        occurredAt: object<HookSource['mapping']['occurredAt']>({
          place: orNull(record),
          format: text,
          otherwise: text,
        }),
        widgetId: orNull(record),
        id: orNull(record),
        payload: orNull(record),
      }),
    }),
  ),
};

export const provisionTokenShape: Shape<ProvisionToken> = { ...grantShape, permissions: listOf(oneOf(permissions)) };

export const userShape: Shape<User> = {
  id: uuid,
  email: text,
  name: orNull(text),
  role: oneOf(roles),
  disabled: flag,
  passwordHash: orNull(text),
  mustChangePassword: flag,
  passwordExpiresAt: (value) => value === undefined || time(value),
  identity: (value) => value === undefined || object({ issuer: text, subject: text })(value),
  createdAt: time,
  lastSignInAt: orNull(time),
};

export const sessionShape: Shape<Session> = {
  id: uuid,
  digest: text,
  userId: text,
  device: orNull(text),
  address: orNull(text),
  createdAt: time,
  lastSeenAt: time,
  expiresAt: time,
};

export const personalStreamShape: Shape<PersonalStream> = {
  tokenDigest: text,
  userId: text,
  sessionDigest: text,
  issuedAt: time,
  expiresAt: time,
};

export const auditEventShape: Shape<AuditEvent> = {
  id: uuid,
  occurredAt: time,
  action: oneOf(auditActions),
  outcome: oneOf(auditOutcomes),
  code: orNull(text),
  actor: object<AuditEvent['actor']>({ kind: oneOf(auditActorKinds), id: orNull(uuid) }),
  actorName: orNull(text),
  operation: orNull(text),
  target: orNull(object<NonNullable<AuditEvent['target']>>({ kind: oneOf(auditTargetKinds), id: uuid })),
  targetName: orNull(text),
  clientAddress: orNull(text),
  emailHmac: orNull(text),
  before: orNull(record),
  after: orNull(record),
  requestId: orNull(uuid),
  unlisted: count,
};

export const quarantineRowShape: Shape<QuarantineRow> = {
  id: uuid,
  reason: oneOf(quarantineReasons),
  jobId: filled,
  integrationId: orNull(uuid),
  quarantinedAt: time,
  sizeBytes: count,
};

export const quarantinedTextShape = { ...quarantineRowShape, text };

export const refusalShape: Shape<HookRefusal> = {
  integrationId: text,
  requestId: text,
  refusedAt: time,
  code: text,
  status: count,
  detail: text,
  errors: listOf(record),
  clientAddress: orNull(text),
  webhookId: orNull(text),
  unlisted: count,
};

export const sampleShape: Shape<HookSample> = {
  integrationId: text,
  requestId: text,
  receivedAt: time,
  code: text,
  refusal: (value) => object({ step: text, reason: text })(value),
  headers: mapOf(listOf(text)),
  withheldHeaders: listOf(text),
  body: text,
};
