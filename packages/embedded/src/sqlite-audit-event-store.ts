import type { StatementSync } from 'node:sqlite';
import { parseAuditEvent, serializeAuditEvent } from '@widget-service/shared/adapters/audit-event-codec.ts';
import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type { AuditEventFilter, AuditEventStore } from '@widget-service/shared/ports/audit-event-store.ts';
import type { Database } from './database.ts';

export class SqliteAuditEventStore implements AuditEventStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #deleteBefore: StatementSync;
  /** Statements by their SQL: there are few combinations of filters. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      'INSERT INTO audit_events (occurred_at, id, action, actor_id, target_id, event) VALUES (?, ?, ?, ?, ?, ?) ' +
        'ON CONFLICT DO NOTHING',
    );
    this.#deleteBefore = db.prepare(
      `DELETE FROM audit_events WHERE (occurred_at, id) IN
         (SELECT occurred_at, id FROM audit_events WHERE occurred_at < ? LIMIT ?)`,
    );
  }

  append(events: readonly AuditEvent[]): Promise<void> {
    return this.#db.write(() => {
      for (const event of events) {
        const { id, occurredAt, action, actor, target } = event;
        const text = serializeAuditEvent(event);
        this.#insert.run(occurredAt.getTime(), id, action, actor.id, target?.id ?? null, text);
      }
    });
  }

  list(filter: AuditEventFilter, { offset, limit }: RowRange): Promise<AuditEvent[]> {
    const { conditions, values } = toConditions(filter);
    const sql = `SELECT event FROM audit_events${conditions} ORDER BY occurred_at DESC, id DESC LIMIT ? OFFSET ?`;
    return this.#db.read(() =>
      this.#prepare(sql)
        .all(...values, limit, offset)
        .map(({ event }) => parseAuditEvent(String(event))),
    );
  }

  count(filter: AuditEventFilter, atMost: number): Promise<number> {
    const { conditions, values } = toConditions(filter);
    const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM audit_events${conditions} LIMIT ?)`;
    return this.#db.read(() => Number(this.#prepare(sql).get(...values, atMost)?.n));
  }

  /** Deletes the events that occurred before `before`. */
  deleteBefore(before: Date): Promise<void> {
    return this.#db.deleteInBatches(this.#deleteBefore, before.getTime());
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
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
