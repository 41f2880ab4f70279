// What each stored entity must be. A column or a document may hold anything: somebody may have changed it by hand.

import { hookKinds } from '../domain/event-kind.ts';
import type { LogPosition } from '../domain/log-position.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import { type HookChangedMembers, type Widget, type WidgetOwner, widgetStates } from '../domain/widget.ts';
import type { WidgetEvent } from '../domain/widget-event.ts';
import {
  code,
  count,
  filled,
  flag,
  json,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  orNull,
  type Shape,
  text,
  time,
  uuid,
} from '../entities/shape-checks.ts';
import {
  type DeliveryEffect,
  type DeliverySummary,
  deadReasons,
  deliveryStates,
  type LedgerRow,
} from '../ports/delivery-ledger.ts';
import type { LogRecord } from '../ports/event-log.ts';
import type { HookCounts } from '../ports/hook-count-store.ts';
import type { HookRefusal } from '../ports/refusal-store.ts';
import type { HookSample, SampleRefusal } from '../ports/sample-store.ts';

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

export const ledgerRowShape: Shape<LedgerRow> = { ...deliverySummaryShape, payload: orNull(json) };

export const payloadShape = { eventId: uuid, payload: json };

export const refusalShape: Shape<HookRefusal> = {
  integrationId: text,
  requestId: uuid,
  refusedAt: time,
  code,
  status: (value) => count(value) && (value as number) >= 400 && (value as number) <= 599,
  detail: text,
  errors: listOf(
    object<HookRefusal['errors'][number]>({
      detail: text,
      code,
      pointer: optional(text),
      parameter: optional(text),
      header: optional(text),
    }),
  ),
  clientAddress: orNull(text),
  webhookId: orNull(text),
  unlisted: count,
};

/** A stream sends it as one line. */
const line = (value: unknown) => typeof value === 'string' && /^[^\r\n]+$/.test(value);

/** The words of an event are not checked: a newer version may have added one. */
export const logRecordShape: Shape<LogRecord> = {
  epoch: filled,
  ms: count,
  seq: count,
  previousMs: count,
  event: object<Omit<WidgetEvent, 'traceContext'>>({
    eventId: filled,
    type: line,
    widgetId: orNull(text),
    state: orNull(text),
    stateBefore: orNull(text),
    labels: orNull(listOf(text)),
    json: line,
  }),
};

export const hookCountsShape: Shape<HookCounts> = { integrationId: text, hour: time, accepted: count, refused: count };

export const sampleShape: Shape<HookSample> = {
  integrationId: text,
  requestId: uuid,
  receivedAt: time,
  code: text,
  refusal: object<SampleRefusal>({ step: text, reason: text, pointer: optional(text), header: optional(text) }),
  headers: mapOf(listOf(text)),
  withheldHeaders: listOf(text),
  body: text,
};
