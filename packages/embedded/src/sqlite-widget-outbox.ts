import type { StatementSync } from 'node:sqlite';
import type {
  OutboxPlace,
  PublishedThrough,
  UnpublishedWidget,
  WidgetOutbox,
} from '@widget-service/shared/ports/widget-outbox.ts';
import type { Database } from './database.ts';

export class SqliteWidgetOutbox implements WidgetOutbox {
  readonly #db: Database;
  readonly #hasClaim: StatementSync;
  readonly #delete: StatementSync;
  readonly #selectBetween: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#hasClaim = db.prepare('SELECT 1 FROM widgets WHERE id = ? AND fence = ?');
    this.#delete = db.prepare('DELETE FROM outbox_entries WHERE widget_id = ? AND version <= ?');
    this.#selectBetween = db.prepare(
      'SELECT widget_id, received_at FROM outbox_entries AS entry WHERE received_at BETWEEN ? AND ? AND NOT EXISTS ' +
        '(SELECT 1 FROM outbox_entries WHERE widget_id = entry.widget_id AND received_at < entry.received_at) ' +
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

  findStale(before: Date, limit: number, from?: OutboxPlace): Promise<UnpublishedWidget[]> {
    return this.#db.read(() => this.#find(0, before.getTime() - 1, limit, from));
  }

  findAhead(after: Date, limit: number, from?: OutboxPlace): Promise<UnpublishedWidget[]> {
    return this.#db.read(() => this.#find(after.getTime() + 1, Number.MAX_SAFE_INTEGER, limit, from));
  }

  #find(fromMs: number, toMs: number, limit: number, from: OutboxPlace | undefined): UnpublishedWidget[] {
    const found = new Map<string, UnpublishedWidget>();
    const isKnown = new Set(from?.widgetIds);
    const beginMs = Math.max(fromMs, from?.since.getTime() ?? fromMs);
    // Row by row, so that a large backlog is not read beyond the limit. Entries of one time give several rows.
    for (const row of this.#selectBetween.iterate(beginMs, toMs)) {
      const widgetId = String(row.widget_id);
      if (isKnown.has(widgetId)) continue;
      found.set(widgetId, { widgetId, since: new Date(Number(row.received_at)) });
      if (found.size >= limit) break;
    }
    return [...found.values()];
  }
}
