import { createSampleReader, serializeSample } from '@widget-service/shared/adapters/sample-codec.ts';
import { findOldestMs, type SampleStore, sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
import type { Database, Expiring } from './database.ts';
import type { OnWarning } from './sqlite-error.ts';

export function createSqliteSampleStore(db: Database, onWarning?: OnWarning): SampleStore & Expiring {
  const rows = createSampleReader(onWarning);
  const upsertMark = db.prepare(
    'INSERT INTO hook_sampling (integration_id, kept_until) VALUES (?, ?) ' +
      'ON CONFLICT DO UPDATE SET kept_until = excluded.kept_until',
  );
  const selectMark = db.prepare('SELECT kept_until FROM hook_sampling WHERE integration_id = ? AND kept_until > ?');
  const deleteMark = db.prepare('DELETE FROM hook_sampling WHERE integration_id = ?');
  const insert = db.prepare(
    'INSERT INTO hook_samples (integration_id, received_at, request_id, sample) VALUES (?, ?, ?, ?) ' +
      'ON CONFLICT DO NOTHING',
  );
  // With no more rows than the limit, the inner query returns none, and nothing is deleted.
  const trim = db.prepare(
    `DELETE FROM hook_samples WHERE integration_id = ?1 AND (received_at, request_id) <=
       (SELECT received_at, request_id FROM hook_samples WHERE integration_id = ?1
        ORDER BY received_at DESC, request_id DESC LIMIT 1 OFFSET ?2)`,
  );
  const select = db.prepare(
    'SELECT sample FROM hook_samples WHERE integration_id = ? AND received_at > ? ' +
      'ORDER BY received_at DESC, request_id DESC',
  );
  const deleteSamples = db.prepare('DELETE FROM hook_samples WHERE integration_id = ?');
  const selectExpired = db.prepare('SELECT integration_id FROM hook_sampling WHERE kept_until <= ?');
  const selectOld = db.prepare('SELECT 1 FROM hook_samples WHERE received_at <= ? LIMIT 1');
  const deleteOld = db.prepare('DELETE FROM hook_samples WHERE received_at <= ?');

  const findUntil = (integrationId: string, now: Date): Date | null => {
    const row = selectMark.get(integrationId, now.getTime());
    return row === undefined ? null : new Date(Number(row.kept_until));
  };
  const remove = (integrationId: string): void => {
    deleteMark.run(integrationId);
    deleteSamples.run(integrationId);
  };

  return {
    keepUntil: (integrationId, until) =>
      db.write(() => {
        upsertMark.run(integrationId, until.getTime());
      }),
    /** Not synced: a power cut may undo it. The sync would delay the hooks that are accepted meanwhile. */
    add: async (sample) => {
      const { integrationId, receivedAt, requestId } = sample;
      const isKept = () => findUntil(integrationId, receivedAt) !== null;
      // Nearly always nothing is kept: then nothing is written.
      if (!(await db.read(isKept))) return;
      const write = () => {
        if (!isKept()) return;
        insert.run(integrationId, receivedAt.getTime(), requestId, serializeSample(sample));
        trim.run(integrationId, sampleLimits.perIntegration);
      };
      await db.write(write, { isSynced: false });
    },
    find: (integrationId, now) =>
      db.read(() => {
        const until = findUntil(integrationId, now);
        if (until === null) return { until, samples: [] };
        const texts = select.all(integrationId, findOldestMs(now)).map(({ sample }) => String(sample));
        return { until, samples: rows.readList(texts) };
      }),
    delete: (integrationId) => db.write(() => remove(integrationId)),
    removeExpired: async (now) => {
      const listExpired = () => selectExpired.all(now.getTime()).map((row) => String(row.integration_id));
      const isAnyOver = () => selectOld.get(findOldestMs(now)) !== undefined || listExpired().length > 0;
      if (!(await db.read(isAnyOver))) return;
      await db.write(() => {
        listExpired().forEach(remove);
        deleteOld.run(findOldestMs(now));
      });
    },
  };
}
