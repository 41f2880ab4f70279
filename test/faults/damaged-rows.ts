import { DatabaseSync } from 'node:sqlite';
import { type Document, MongoClient, UUID } from 'mongodb';
import type { TestBackend } from '../drivers/app/test-backend.ts';
import { requireServerUrl } from '../drivers/cluster/server-url.ts';

/** One member of a stored row with a value that no version of the service stores. */
interface Damage {
  readonly member: string;
  readonly value: unknown;
  apply(): Promise<void>;
  undo(): Promise<void>;
}

export interface DamageableRows {
  /** Every damage of the row whose id is `id`: each member in turn with each wrong value. */
  listDamages(collection: string, id: string): Promise<Damage[]>;
  close(): Promise<void>;
}

export async function openDamageableRows({ place }: Pick<TestBackend, 'place'>): Promise<DamageableRows> {
  if (place === undefined) throw new Error('simulated rows cannot be damaged');
  return 'file' in place ? openSqliteRows(place.file) : openMongoRows(place.database);
}

const wrongValues: readonly unknown[] = ['{', 7.5, true, { of: 'none' }, ['one', 2], null, undefined];

async function openMongoRows(name: string): Promise<DamageableRows> {
  const client = await MongoClient.connect(requireServerUrl('MONGODB_URL'), { ignoreUndefined: true });
  return {
    listDamages: async (collection, id) => {
      const documents = client.db(name).collection<Document>(collection);
      const document = await documents.findOne({
        $or: [{ _id: id }, { id }, { _id: new UUID(id) }, { id: new UUID(id) }],
      } as never);
      if (document === null) throw new Error(`${collection} has no document ${id}`);
      const { _id } = document;
      const replace = async (by: Document) => void (await documents.replaceOne({ _id }, by));
      return Object.keys(document)
        .filter((member) => member !== '_id')
        .flatMap((member) =>
          wrongValues.map((value) => ({
            member,
            value,
            apply: () => replace({ ...document, [member]: value }),
            undo: () => replace(document),
          })),
        );
    },
    close: () => client.close(),
  };
}

const tables: Readonly<Record<string, string>> = { provisionTokens: 'provision_tokens', auditEvents: 'audit_events' };

async function openSqliteRows(file: string): Promise<DamageableRows> {
  const db = new DatabaseSync(file);
  db.exec('DROP TRIGGER audit_events_never_change');
  return {
    listDamages: async (collection, id) => {
      const table = tables[collection] ?? collection;
      const key = table === 'deliveries' ? 'event_id' : 'id';
      const row = db.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`).get(id);
      if (row === undefined) throw new Error(`${table} has no row ${id}`);
      const columns = db.prepare(`PRAGMA table_info(${table})`).all() as {
        name: string;
        type: string;
        notnull: number;
      }[];
      return columns
        .filter(({ name }) => name !== key)
        .flatMap(({ name, type, notnull }) => {
          const values = [...(type === 'TEXT' ? ['{', ''] : [9e15, -1, 7]), ...(notnull === 1 ? [] : [null])];
          const write = async (value: string | number | null) =>
            void db.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${key} = ?`).run(value, id);
          return values.map((value) => ({
            member: name,
            value,
            apply: () => write(value),
            undo: () => write(row[name] as string | number | null),
          }));
        });
    },
    close: async () => db.close(),
  };
}
