import type {
  QuarantineReason,
  QuarantineRow,
  QuarantineStore,
} from '@widget-service/shared/ports/quarantine-store.ts';
import type { Database } from './database.ts';

export function createSqliteQuarantineStore(db: Database): QuarantineStore {
  const insert = db.prepare(
    'INSERT INTO quarantine (id, text, reason, job_id, integration_id, quarantined_at) VALUES (?, ?, ?, ?, ?, ?) ' +
      'ON CONFLICT (id) DO NOTHING',
  );
  const select = db.prepare(`SELECT ${rowColumns}, text FROM quarantine WHERE id = ?`);
  const list = db.prepare(
    `SELECT ${rowColumns} FROM quarantine ORDER BY quarantined_at DESC, id DESC LIMIT ? OFFSET ?`,
  );
  const count = db.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM quarantine LIMIT ?)');
  const deleteRow = db.prepare(`DELETE FROM quarantine WHERE id = ? RETURNING ${rowColumns}`);

  return {
    add: ({ id, text, reason, jobId, integrationId, quarantinedAt }) =>
      db.write(() => {
        insert.run(id, text, reason, jobId, integrationId, quarantinedAt.getTime());
      }),
    get: (id) =>
      db.read(() => {
        const columns = select.get(id) as (RowColumns & { readonly text: string }) | undefined;
        return columns === undefined ? null : { ...toRow(columns), text: columns.text };
      }),
    list: ({ offset, limit }) => db.read(() => (list.all(limit, offset) as unknown as RowColumns[]).map(toRow)),
    count: (atMost) => db.read(() => Number(count.get(atMost)?.n)),
    discard: (id) =>
      db.write(() => {
        const columns = deleteRow.get(id) as RowColumns | undefined;
        return columns === undefined ? null : toRow(columns);
      }),
  };
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
