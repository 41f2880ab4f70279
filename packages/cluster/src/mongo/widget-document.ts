import { hash } from 'node:crypto';
import type { IdempotencyRecord } from '@widget-service/shared/domain/idempotent-create.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import { toUuidV8 } from '@widget-service/shared/domain/uuid.ts';
import { pickHookChanged, type Widget, type WidgetOwner } from '@widget-service/shared/domain/widget.ts';
import type { WidgetCreation } from '@widget-service/shared/ports/widget-store.ts';
import { type Collection, type Db, UUID } from 'mongodb';
import { collectionNames } from './indexes.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** An outbox entry as it is stored; `after.version` orders the entries. */
export interface OutboxDocument extends Mutable<Omit<OutboxEntry, 'after'>> {
  after: Mutable<OutboxEntry['after']>;
}

/** The members of a widget as they are stored. */
export interface StoredWidget extends Mutable<Omit<Widget, 'id' | 'labels' | 'owner'>> {
  id: UUID;
  labels: string[];
  owner: Mutable<WidgetOwner> | null;
}

/** A widget with everything that changes atomically with it. */
export interface WidgetDocument extends StoredWidget {
  /** Derived from the idempotency key, so that one insert per key succeeds. The widget's id if there is no key. */
  _id: UUID;
  /** The idempotency record. Absent if the client sent no key. */
  idem?: { scope: string; key: string; fingerprint: string; body: string };
  /** Oldest first. */
  outbox: OutboxDocument[];
  /** The earliest `receivedAt` in the outbox. Absent while the outbox is empty. */
  outboxSince?: Date;
}

export function widgetCollection(db: Db): Collection<WidgetDocument> {
  return db.collection<WidgetDocument>(collectionNames.widgets);
}

export function toWidgetDocument({ widget, created, idempotency }: WidgetCreation): WidgetDocument {
  return {
    _id: toDocumentId(widget.id, idempotency),
    id: new UUID(widget.id),
    name: widget.name,
    state: widget.state,
    labels: [...widget.labels],
    owner: widget.owner === null ? null : toOwner(widget.owner),
    createdAt: widget.createdAt,
    updatedAt: widget.updatedAt,
    retiredAt: widget.retiredAt,
    lastEventAt: widget.lastEventAt,
    version: widget.version,
    ...(idempotency === null
      ? {}
      : {
          idem: {
            scope: idempotency.scope,
            key: idempotency.key,
            fingerprint: idempotency.fingerprint,
            body: idempotency.body,
          },
        }),
    outbox: [toOutboxDocument(created)],
    outboxSince: created.receivedAt,
  };
}

/**
 * Returns the `_id` of a widget's document. The scope keeps the keys of two principals apart. An id derived from a key
 * is a UUID of version 8, so it never equals a widget's id, which has another version.
 */
export function toDocumentId(widgetId: string, key: Pick<IdempotencyRecord, 'scope' | 'key'> | null): UUID {
  if (key === null) return new UUID(widgetId);
  return new UUID(toUuidV8(hash('sha256', `${key.scope}\n${key.key}`, 'hex')));
}

/**
 * Leaves the members that `toWidget` reads, and `_id`, which names a damaged document. Omits the idempotency record and
 * the outbox, which can be large.
 */
export const widgetProjection = { idem: 0, outbox: 0, outboxSince: 0 } as const;

export function toWidget(document: StoredWidget): Widget {
  return {
    id: document.id.toHexString(),
    name: document.name,
    state: document.state,
    labels: document.labels,
    owner: document.owner === null ? null : toOwner(document.owner),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    retiredAt: document.retiredAt,
    lastEventAt: document.lastEventAt,
    version: document.version,
  };
}

export function toOutboxDocument(entry: OutboxEntry): OutboxDocument {
  return {
    eventId: entry.eventId,
    kind: entry.kind,
    integrationId: entry.integrationId,
    occurredAt: entry.occurredAt,
    receivedAt: entry.receivedAt,
    payload: entry.payload,
    late: entry.late,
    stateBefore: entry.stateBefore,
    after: pickHookChanged(entry.after),
  };
}

function toOwner(owner: WidgetOwner): WidgetOwner {
  return { userId: owner.userId, email: owner.email, notify: owner.notify };
}
