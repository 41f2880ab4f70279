// The member types of stored widgets, deliveries, log entries and hook counts. Entities have their own schemas. A
// column or a document may hold anything: somebody may have changed it by hand.

import { hookKinds } from '../domain/event-kind.ts';
import type { LogPosition } from '../domain/log-position.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import { type HookChangedMembers, type Widget, type WidgetOwner, widgetStates } from '../domain/widget.ts';
import type { WidgetEvent } from '../domain/widget-event.ts';
import {
  count,
  filled,
  flag,
  json,
  listOf,
  object,
  oneOf,
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
