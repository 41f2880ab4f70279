import type { StatementSync } from 'node:sqlite';
import type { PublishedThrough, WidgetOutbox } from '@widget-service/shared/ports/widget-outbox.ts';
import type { Database } from './database.ts';

export class SqliteWidgetOutbox implements WidgetOutbox {
  readonly #db: Database;
  readonly #hasClaim: StatementSync;
  readonly #delete: StatementSync;
  readonly #selectStale: StatementSync;
  readonly #selectAhead: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#hasClaim = db.prepare('SELECT 1 FROM widgets WHERE id = ? AND fence = ?');
    this.#delete = db.prepare('DELETE FROM outbox_entries WHERE widget_id = ? AND version <= ?');
    this.#selectStale = db.prepare(
      'SELECT widget_id FROM outbox_entries WHERE received_at < ? ORDER BY received_at, widget_id',
    );
    this.#selectAhead = db.prepare(
      'SELECT widget_id FROM outbox_entries AS entry WHERE received_at > ?1 AND NOT EXISTS ' +
        '(SELECT 1 FROM outbox_entries WHERE widget_id = entry.widget_id AND received_at <= ?1) ' +
        'ORDER BY received_at, widget_id',
    );
  }

  pull(run: number, published: readonly PublishedThrough[]): Promise<{ readonly refused: readonly string[] }> {
    return this.#db.write(() => {
      const refused: string[] = [];
      for (const { widgetId, version } of published) {
        if (this.#hasClaim.get(widgetId, run) === undefined) refused.push(widgetId);
        else this.#delete.run(widgetId, version);
      }
      return { refused };
    });
  }

  findStale(before: Date, limit: number): Promise<string[]> {
    return this.#db.read(() => firstWidgets(this.#selectStale, before, limit));
  }

  findAhead(after: Date, limit: number): Promise<string[]> {
    return this.#db.read(() => firstWidgets(this.#selectAhead, after, limit));
  }
}

function firstWidgets(select: StatementSync, time: Date, limit: number): string[] {
  const widgetIds = new Set<string>();
  // Row by row, so that a large backlog is not read beyond the limit.
  for (const row of select.iterate(time.getTime())) {
    widgetIds.add(String(row.widget_id));
    if (widgetIds.size >= limit) break;
  }
  return [...widgetIds];
}
