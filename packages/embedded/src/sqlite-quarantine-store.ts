import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { quarantinedTextShape, quarantineRowShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type {
  QuarantineReason,
  QuarantineRow,
  QuarantineStore,
} from '@widget-service/shared/ports/quarantine-store.ts';
import type { Database } from './database.ts';
import type { OnWarning } from './on-warning.ts';

export function createSqliteQuarantineStore(db: Database, onWarning?: OnWarning): QuarantineStore {
  const of = 'quarantine';
  const identify = ({ id }: RowColumns) => id;
  const rows = createRowReader({ of, identify, convert: toRow, shape: quarantineRowShape, onWarning });
  const convert = (columns: RowColumns & { readonly text: string }) => ({ ...toRow(columns), text: columns.text });
  const withText = createRowReader({ of, identify, convert, shape: quarantinedTextShape, onWarning });
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
      db.read(() => withText.readIfAny(select.get(id) as (RowColumns & { readonly text: string }) | undefined)),
    list: ({ offset, limit }) => db.read(() => rows.readList(list.all(limit, offset) as unknown as RowColumns[])),
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
