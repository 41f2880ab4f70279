import type { ServiceKeyStore } from '@widget-service/shared/ports/service-key-store.ts';
import type { Database } from './database.ts';

export function createSqliteServiceKeyStore(db: Database): ServiceKeyStore {
  const insert = db.prepare('INSERT INTO service_keys (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING');
  const select = db.prepare('SELECT secret FROM service_keys WHERE name = ?');

  return {
    ensure: (name, candidate) =>
      db.write(() => {
        insert.run(name, candidate);
        return String(select.get(name)?.secret);
      }),
  };
}
