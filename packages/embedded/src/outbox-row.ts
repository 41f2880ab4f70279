import type { StatementSync } from 'node:sqlite';
import type { HookKind } from '@widget-service/shared/domain/hook-event.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type { Database } from './database.ts';
import { dateOf } from './widget-row.ts';

interface OutboxRow {
  readonly version: number;
  readonly event_id: string;
  readonly kind: HookKind;
  readonly integration_id: string | null;
  readonly occurred_at: string;
  readonly received_at: number;
  readonly late: number;
  readonly state_before: WidgetState | null;
  readonly payload: string | null;
  readonly state: WidgetState;
  readonly updated_at: number;
  readonly retired_at: number | null;
  readonly last_event_at: number | null;
}

export function prepareOutboxInsert(db: Database): StatementSync {
  return db.prepare('INSERT INTO outbox_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
}

/** In a transaction, with the statement of `prepareOutboxInsert`. */
export function insertOutboxEntry(statement: StatementSync, widgetId: string, entry: OutboxEntry): void {
  const { after } = entry;
  statement.run(
    widgetId,
    after.version,
    entry.eventId,
    entry.kind,
    entry.integrationId,
    entry.occurredAt,
    entry.receivedAt.getTime(),
    entry.late ? 1 : 0,
    entry.stateBefore,
    entry.payload,
    after.state,
    after.updatedAt.getTime(),
    after.retiredAt?.getTime() ?? null,
    after.lastEventAt?.getTime() ?? null,
  );
}

export function prepareOutboxSelect(db: Database): StatementSync {
  return db.prepare('SELECT * FROM outbox_entries WHERE widget_id = ? ORDER BY version');
}

/** A widget's outbox, oldest entry first, with the statement of `prepareOutboxSelect`. */
export function selectOutbox(statement: StatementSync, widgetId: string): OutboxEntry[] {
  return (statement.all(widgetId) as unknown as OutboxRow[]).map(toEntry);
}

function toEntry(row: OutboxRow): OutboxEntry {
  return {
    eventId: row.event_id,
    kind: row.kind,
    integrationId: row.integration_id,
    occurredAt: row.occurred_at,
    receivedAt: new Date(row.received_at),
    payload: row.payload,
    late: row.late === 1,
    stateBefore: row.state_before,
    after: {
      state: row.state,
      updatedAt: new Date(row.updated_at),
      retiredAt: dateOf(row.retired_at),
      lastEventAt: dateOf(row.last_event_at),
      version: row.version,
    },
  };
}
