import { createRefusalReader, serializeRefusal } from '@widget-service/shared/adapters/refusal-codec.ts';
import { type RefusalStore, refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import type { Database, Expiring } from './database.ts';
import type { OnWarning } from './sqlite-error.ts';

export function createSqliteRefusalStore(db: Database, onWarning?: OnWarning): RefusalStore & Expiring {
  const refusals = createRefusalReader(onWarning);
  const insert = db.prepare(
    'INSERT INTO hook_refusals (integration_id, refused_at, request_id, refusal) VALUES (?, ?, ?, ?) ' +
      'ON CONFLICT DO NOTHING',
  );
  // With no more rows than the limit, the inner query returns none, and nothing is deleted.
  const trim = db.prepare(
    `DELETE FROM hook_refusals WHERE integration_id = ?1 AND (refused_at, request_id) <=
       (SELECT refused_at, request_id FROM hook_refusals WHERE integration_id = ?1
        ORDER BY refused_at DESC, request_id DESC LIMIT 1 OFFSET ?2)`,
  );
  const select = db.prepare(
    'SELECT refusal FROM hook_refusals WHERE integration_id = ? ORDER BY refused_at DESC, request_id DESC',
  );
  const deleteExpired = db.prepare(
    `DELETE FROM hook_refusals WHERE (integration_id, refused_at, request_id) IN
       (SELECT integration_id, refused_at, request_id FROM hook_refusals WHERE refused_at <= ? LIMIT ?)`,
  );

  const deleteAll = db.prepare('DELETE FROM hook_refusals WHERE integration_id = ?');
  /** What a request that was still running adds is ignored. No request outlives the process. */
  const ended = new Set<string>();

  return {
    /** Not synced: a power cut may undo it. The sync would delay the hooks that are accepted meanwhile. */
    add: (refusals) => {
      const write = () => {
        for (const refusal of refusals) {
          if (ended.has(refusal.integrationId)) continue;
          const { integrationId, refusedAt, requestId } = refusal;
          insert.run(integrationId, refusedAt.getTime(), requestId, serializeRefusal(refusal));
        }
        for (const integrationId of new Set(refusals.map((refusal) => refusal.integrationId))) {
          trim.run(integrationId, refusalLimits.perIntegration);
        }
      };
      return db.write(write, { isSynced: false });
    },
    list: (integrationId) =>
      db.read(() => refusals.readList(select.all(integrationId).map(({ refusal }) => String(refusal)))),
    delete: async (integrationId) => {
      ended.add(integrationId);
      await db.write(() => void deleteAll.run(integrationId));
    },
    /** Removes the refusals that are older than the limit at `now`. */
    removeExpired: (now) => db.deleteInBatches(deleteExpired, now.getTime() - refusalLimits.keepMs),
  };
}
