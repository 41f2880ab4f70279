import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { auditEventShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type {
  AuditAction,
  AuditActor,
  AuditEvent,
  AuditMembers,
  AuditOutcome,
  AuditTarget,
} from '@widget-service/shared/domain/audit-event.ts';
import { UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { AuditEventFilter, AuditEventStore } from '@widget-service/shared/ports/audit-event-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import { type Db, type Filter, UUID } from 'mongodb';
import type { OnWarning } from '../redis/targets.ts';
import { auditIndexes, collectionNames } from './indexes.ts';
import { insertRepeatably, runPortCall, runRead, writeStorable } from './translate-error.ts';

interface AuditEventDocument {
  _id: UUID;
  occurredAt: Date;
  action: AuditAction;
  operation: string | null;
  outcome: AuditOutcome;
  code: string | null;
  actor: AuditActor;
  actorName: string | null;
  target: AuditTarget | null;
  targetName: string | null;
  clientAddress: string | null;
  emailHmac: string | null;
  /** JSON text: BSON would change some texts and reject some names of members. */
  before: string | null;
  after: string | null;
  requestId: string | null;
  unlisted: number;
  /** When the TTL index removes the event. */
  expiresAt: Date;
}

export function createMongoAuditEventStore(db: Db, retentionMs: number, onWarning?: OnWarning): AuditEventStore {
  const rows = createRowReader({
    of: collectionNames.auditEvents,
    identify: ({ _id }: AuditEventDocument) => _id,
    convert: toEvent,
    shape: auditEventShape,
    onWarning,
  });
  const stored = db.collection<AuditEventDocument>(collectionNames.auditEvents);

  return {
    append: (events) =>
      runPortCall('append audit events', async () => {
        if (events.length === 0) return;
        const documents = events.map((event) => toDocument(event, retentionMs));
        const { rejected } = await writeStorable(documents, async (batch) => {
          await insertRepeatably(() => stored.insertMany(batch, { ordered: false }));
          return {};
        });
        // A duplicate was appended before.
        const unstorable = rejected.filter(({ isDuplicate }) => !isDuplicate).length;
        if (unstorable > 0) throw new UnstorableError(`MongoDB, append audit events: ${unstorable} are unstorable`);
      }),
    list: (filter, { offset, limit }) =>
      runRead('list audit events', async () => {
        const documents = await stored
          .find(toQuery(filter), { hint: selectIndex(filter), maxTimeMS: requestDeadlineMs })
          .sort({ occurredAt: -1, _id: -1 })
          .skip(offset)
          .limit(limit)
          .batchSize(limit)
          .toArray();
        return rows.readList(documents);
      }),
    count: (filter, atMost) =>
      runRead('count audit events', () => {
        const options = { limit: atMost, hint: selectIndex(filter), maxTimeMS: requestDeadlineMs };
        return stored.countDocuments(toQuery(filter), options);
      }),
  };
}

function toDocument(event: AuditEvent, retentionMs: number): AuditEventDocument {
  const { occurredAt, action, operation, outcome, code, actor, target, clientAddress, emailHmac } = event;
  return {
    _id: new UUID(event.id),
    occurredAt,
    action,
    operation,
    outcome,
    code,
    actor: { kind: actor.kind, id: actor.id },
    actorName: event.actorName,
    target: target === null ? null : { kind: target.kind, id: target.id },
    targetName: event.targetName,
    clientAddress,
    emailHmac,
    before: event.before === null ? null : JSON.stringify(event.before),
    after: event.after === null ? null : JSON.stringify(event.after),
    requestId: event.requestId,
    unlisted: event.unlisted,
    expiresAt: new Date(occurredAt.getTime() + retentionMs),
  };
}

function toEvent({ _id, actor, target, before, after, ...document }: AuditEventDocument): AuditEvent {
  return {
    id: _id.toHexString(),
    occurredAt: document.occurredAt,
    action: document.action,
    operation: document.operation,
    outcome: document.outcome,
    code: document.code,
    actor: { kind: actor.kind, id: actor.id },
    actorName: document.actorName,
    target: target === null ? null : { kind: target.kind, id: target.id },
    targetName: document.targetName,
    clientAddress: document.clientAddress,
    emailHmac: document.emailHmac,
    before: parseMembers(before),
    after: parseMembers(after),
    requestId: document.requestId,
    unlisted: document.unlisted,
  };
}

function parseMembers(text: string | null): AuditMembers | null {
  return text === null ? null : (JSON.parse(text) as AuditMembers);
}

function toQuery({ actorId, action, targetId, from, to }: AuditEventFilter): Filter<AuditEventDocument> {
  const occurredAt = { ...(from === null ? {} : { $gte: from }), ...(to === null ? {} : { $lt: to }) };
  return {
    ...(actorId === null ? {} : { 'actor.id': actorId }),
    ...(targetId === null ? {} : { 'target.id': targetId }),
    ...(action === null ? {} : { action }),
    ...(from === null && to === null ? {} : { occurredAt }),
  };
}

/** The index of the most selective condition. */
function selectIndex({ actorId, action, targetId }: AuditEventFilter): string {
  if (targetId !== null) return auditIndexes.byTarget;
  if (actorId !== null) return auditIndexes.byActor;
  return action === null ? auditIndexes.byAge : auditIndexes.byAction;
}
