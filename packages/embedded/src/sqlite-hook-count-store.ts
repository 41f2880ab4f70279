import type { StatementSync } from 'node:sqlite';
import { type OnWarning, type RowKind, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { hookCountsShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { ListedRow } from '@widget-service/shared/domain/page.ts';
import {
  type HookCountStore,
  type HookCounts,
  hookCountLimits,
} from '@widget-service/shared/ports/hook-count-store.ts';
import type { Database, Expiring } from './database.ts';

interface CountRow {
  readonly hour: number;
  readonly integration_id: string;
  readonly accepted: number;
  readonly refused: number;
}

const countRows: RowKind<CountRow, HookCounts> = {
  of: 'hook_counts',
  identify: ({ hour, integration_id }) => `${hour} ${integration_id}`,
  convert: ({ hour, integration_id: integrationId, accepted, refused }) => ({
    integrationId,
    hour: new Date(hour),
    accepted,
    refused,
  }),
  shape: hookCountsShape,
};

export class SqliteHookCountStore implements HookCountStore, Expiring {
  readonly #db: Database;
  readonly #rows: RowReader<CountRow, HookCounts>;
  readonly #add: StatementSync;
  readonly #select: StatementSync;
  readonly #deleteExpired: StatementSync;

  constructor(db: Database, onWarning?: OnWarning) {
    this.#db = db;
    this.#rows = new RowReader(countRows, onWarning);
    this.#add = db.prepare(
      'INSERT INTO hook_counts (hour, integration_id, accepted, refused) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted, refused = refused + excluded.refused',
    );
    this.#select = db.prepare(
      'SELECT hour, integration_id, accepted, refused FROM hook_counts ' +
        'WHERE hour IN (SELECT value FROM json_each(?)) AND integration_id IN (SELECT value FROM json_each(?))',
    );
    this.#deleteExpired = db.prepare(
      `DELETE FROM hook_counts WHERE (hour, integration_id) IN
         (SELECT hour, integration_id FROM hook_counts WHERE hour <= ? LIMIT ?)`,
    );
  }

  /** Not synced, because a sync would delay hooks. A power cut may undo the counts. */
  add(counts: readonly HookCounts[]): Promise<void> {
    const write = () => {
      for (const { hour, integrationId, accepted, refused } of counts) {
        this.#add.run(hour.getTime(), integrationId, accepted, refused);
      }
    };
    return this.#db.write(write, { isSynced: false });
  }

  list(integrationIds: readonly string[], hours: readonly Date[]): Promise<ListedRow<HookCounts>[]> {
    return this.#db.read(() => {
      const hoursMs = JSON.stringify(hours.map((hour) => hour.getTime()));
      return this.#rows.readList(this.#select.all(hoursMs, JSON.stringify(integrationIds)) as unknown as CountRow[]);
    });
  }

  removeExpired(now: Date): Promise<void> {
    return this.#db.deleteInBatches(this.#deleteExpired, now.getTime() - hookCountLimits.keepMs);
  }
}
