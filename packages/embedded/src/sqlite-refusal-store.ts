import type { StatementSync } from 'node:sqlite';
import { parseRefusal, serializeRefusal } from '@widget-service/shared/adapters/refusal-codec.ts';
import { type HookRefusal, type RefusalStore, refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import type { Database } from './database.ts';

export class SqliteRefusalStore implements RefusalStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #trim: StatementSync;
  readonly #select: StatementSync;
  readonly #deleteExpired: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      'INSERT INTO hook_refusals (integration_id, refused_at, request_id, refusal) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT DO NOTHING',
    );
    // With no more rows than the limit, the inner query returns none, and nothing is deleted.
    this.#trim = db.prepare(
      `DELETE FROM hook_refusals WHERE integration_id = ?1 AND (refused_at, request_id) <=
         (SELECT refused_at, request_id FROM hook_refusals WHERE integration_id = ?1
          ORDER BY refused_at DESC, request_id DESC LIMIT 1 OFFSET ?2)`,
    );
    this.#select = db.prepare(
      'SELECT refusal FROM hook_refusals WHERE integration_id = ? ORDER BY refused_at DESC, request_id DESC',
    );
    this.#deleteExpired = db.prepare(
      `DELETE FROM hook_refusals WHERE (integration_id, refused_at, request_id) IN
         (SELECT integration_id, refused_at, request_id FROM hook_refusals WHERE refused_at <= ? LIMIT ?)`,
    );
  }

  /** Not synced: a power cut may undo it. The sync would delay the hooks that are accepted meanwhile. */
  add(refusals: readonly HookRefusal[]): Promise<void> {
    const write = () => {
      for (const refusal of refusals) {
        const { integrationId, refusedAt, requestId } = refusal;
        this.#insert.run(integrationId, refusedAt.getTime(), requestId, serializeRefusal(refusal));
      }
      for (const integrationId of new Set(refusals.map((refusal) => refusal.integrationId))) {
        this.#trim.run(integrationId, refusalLimits.perIntegration);
      }
    };
    return this.#db.write(write, { isSynced: false });
  }

  list(integrationId: string): Promise<HookRefusal[]> {
    return this.#db.read(() => this.#select.all(integrationId).map(({ refusal }) => parseRefusal(String(refusal))));
  }

  /** Removes the refusals that are older than the limit at `now`. */
  removeExpired(now: Date): Promise<void> {
    return this.#db.deleteInBatches(this.#deleteExpired, now.getTime() - refusalLimits.keepMs);
  }
}
