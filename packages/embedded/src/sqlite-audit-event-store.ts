import type { StatementSync } from 'node:sqlite';
import { parseAuditEvent, serializeAuditEvent } from '@widget-service/shared/adapters/audit-event-codec.ts';
import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { auditEventShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { AuditEventFilter, AuditEventStore } from '@widget-service/shared/ports/audit-event-store.ts';
import type { Database } from './database.ts';
import type { OnWarning } from './on-warning.ts';
import type { Row } from './sqlite-widget-columns.ts';

export function createSqliteAuditEventStore(
  db: Database,
  onWarning?: OnWarning,
): AuditEventStore & { deleteBefore(before: Date): Promise<void> } {
  /** Statements by their SQL: there are few combinations of filters. */
  const statements = new Map<string, StatementSync>();
  const events = createRowReader({
    of: 'audit_events',
    identify: ({ id }: Row) => id,
    convert: ({ event }) => parseAuditEvent(String(event)),
    shape: auditEventShape,
    onWarning,
  });
  const insert = db.prepare(
    'INSERT INTO audit_events (occurred_at, id, action, actor_id, target_id, event) VALUES (?, ?, ?, ?, ?, ?) ' +
      'ON CONFLICT DO NOTHING',
  );
  const deleteBefore = db.prepare(
    `DELETE FROM audit_events WHERE (occurred_at, id) IN
       (SELECT occurred_at, id FROM audit_events WHERE occurred_at < ? LIMIT ?)`,
  );

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    append: (events) =>
      db.write(() => {
        for (const event of events) {
          const { id, occurredAt, action, actor, target } = event;
          const text = serializeAuditEvent(event);
          insert.run(occurredAt.getTime(), id, action, actor.id, target?.id ?? null, text);
        }
      }),
    list: (filter, { offset, limit }) => {
      const { conditions, values } = toConditions(filter);
      const sql = `SELECT id, event FROM audit_events${conditions} ORDER BY occurred_at DESC, id DESC LIMIT ? OFFSET ?`;
      return db.read(() => events.readList(prepare(sql).all(...values, limit, offset)));
    },
    count: (filter, atMost) => {
      const { conditions, values } = toConditions(filter);
      const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM audit_events${conditions} LIMIT ?)`;
      return db.read(() => Number(prepare(sql).get(...values, atMost)?.n));
    },
    /** Deletes the events that occurred before `before`. */
    deleteBefore: (before) => db.deleteInBatches(deleteBefore, before.getTime()),
  };
}

/** Returns the WHERE clause of a filter, and the values of its parameters in their order. */
function toConditions({ actorId, action, targetId, from, to }: AuditEventFilter) {
  const parts: readonly (readonly [string, string | number | null])[] = [
    ['actor_id = ?', actorId],
    ['action = ?', action],
    ['target_id = ?', targetId],
    ['occurred_at >= ?', from?.getTime() ?? null],
    ['occurred_at < ?', to?.getTime() ?? null],
  ];
  const used = parts.filter((part): part is readonly [string, string | number] => part[1] !== null);
  const conditions = used.length === 0 ? '' : ` WHERE ${used.map(([condition]) => condition).join(' AND ')}`;
  return { conditions, values: used.map(([, value]) => value) };
}
