import type { StatementSync } from 'node:sqlite';
import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type {
  QuarantinedText,
  QuarantineReason,
  QuarantineRow,
  QuarantineStore,
} from '@widget-service/shared/ports/quarantine-store.ts';
import type { Database } from './database.ts';

export class SqliteQuarantineStore implements QuarantineStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #list: StatementSync;
  readonly #count: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      'INSERT INTO quarantine (id, text, reason, job_id, integration_id, quarantined_at) VALUES (?, ?, ?, ?, ?, ?) ' +
        'ON CONFLICT (id) DO NOTHING',
    );
    this.#select = db.prepare(`SELECT ${rowColumns}, text FROM quarantine WHERE id = ?`);
    this.#list = db.prepare(
      `SELECT ${rowColumns} FROM quarantine ORDER BY quarantined_at DESC, id DESC LIMIT ? OFFSET ?`,
    );
    this.#count = db.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM quarantine LIMIT ?)');
    this.#delete = db.prepare(`DELETE FROM quarantine WHERE id = ? RETURNING ${rowColumns}`);
  }

  add({ id, text, reason, jobId, integrationId, quarantinedAt }: QuarantinedText): Promise<void> {
    return this.#db.write(() => {
      this.#insert.run(id, text, reason, jobId, integrationId, quarantinedAt.getTime());
    });
  }

  get(id: string): Promise<(QuarantineRow & Pick<QuarantinedText, 'text'>) | null> {
    return this.#db.read(() => {
      const columns = this.#select.get(id) as (RowColumns & { readonly text: string }) | undefined;
      return columns === undefined ? null : { ...toRow(columns), text: columns.text };
    });
  }

  list({ offset, limit }: RowRange): Promise<QuarantineRow[]> {
    return this.#db.read(() => (this.#list.all(limit, offset) as unknown as RowColumns[]).map(toRow));
  }

  count(atMost: number): Promise<number> {
    return this.#db.read(() => Number(this.#count.get(atMost)?.n));
  }

  discard(id: string): Promise<QuarantineRow | null> {
    return this.#db.write(() => {
      const columns = this.#delete.get(id) as RowColumns | undefined;
      return columns === undefined ? null : toRow(columns);
    });
  }
}

const rowColumns = 'id, reason, job_id, integration_id, quarantined_at, octet_length(text) AS size_bytes';

interface RowColumns {
  readonly id: string;
  readonly reason: QuarantineReason;
  readonly job_id: string;
  readonly integration_id: string | null;
  readonly quarantined_at: number;
  readonly size_bytes: number;
}

function toRow(columns: RowColumns): QuarantineRow {
  return {
    id: columns.id,
    reason: columns.reason,
    jobId: columns.job_id,
    integrationId: columns.integration_id,
    quarantinedAt: new Date(columns.quarantined_at),
    sizeBytes: columns.size_bytes,
  };
}
