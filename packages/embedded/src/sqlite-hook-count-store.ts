import { createRowReader, type OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { hookCountsShape } from '@widget-service/shared/adapters/row-shapes.ts';
import { type HookCountStore, hookCountLimits } from '@widget-service/shared/ports/hook-count-store.ts';
import type { Database, Expiring } from './database.ts';

interface CountRow {
  readonly hour: number;
  readonly integration_id: string;
  readonly accepted: number;
  readonly refused: number;
}

export function createSqliteHookCountStore(db: Database, onWarning?: OnWarning): HookCountStore & Expiring {
  const counts = createRowReader({
    of: 'hook_counts',
    identify: ({ hour, integration_id }: CountRow) => `${hour} ${integration_id}`,
    convert: ({ hour, integration_id: integrationId, accepted, refused }) => ({
      integrationId,
      hour: new Date(hour),
      accepted,
      refused,
    }),
    shape: hookCountsShape,
    onWarning,
  });
  const add = db.prepare(
    'INSERT INTO hook_counts (hour, integration_id, accepted, refused) VALUES (?, ?, ?, ?) ' +
      'ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted, refused = refused + excluded.refused',
  );
  const select = db.prepare(
    'SELECT hour, integration_id, accepted, refused FROM hook_counts ' +
      'WHERE hour IN (SELECT value FROM json_each(?)) AND integration_id IN (SELECT value FROM json_each(?))',
  );
  const deleteExpired = db.prepare(
    `DELETE FROM hook_counts WHERE (hour, integration_id) IN
       (SELECT hour, integration_id FROM hook_counts WHERE hour <= ? LIMIT ?)`,
  );

  return {
    /** Not synced, because a sync would delay hooks. A power cut may undo the counts. */
    add: (counts) => {
      const write = () => {
        for (const { hour, integrationId, accepted, refused } of counts) {
          add.run(hour.getTime(), integrationId, accepted, refused);
        }
      };
      return db.write(write, { isSynced: false });
    },
    list: (integrationIds, hours) =>
      db.read(() => {
        const hoursMs = hours.map((hour) => hour.getTime());
        const rows = select.all(JSON.stringify(hoursMs), JSON.stringify(integrationIds)) as unknown as CountRow[];
        return counts.readList(rows);
      }),
    removeExpired: (now) => db.deleteInBatches(deleteExpired, now.getTime() - hookCountLimits.keepMs),
  };
}
