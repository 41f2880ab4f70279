import { DatabaseSync } from 'node:sqlite';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { Redis } from 'ioredis';
import { type Document, MongoClient, UUID } from 'mongodb';
import type { TestBackend } from '../drivers/app/test-backend.ts';
import { requireServerUrl } from '../drivers/cluster/servers.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';

/** One member of a stored row, or of what is nested in it, with a value that no version of the service stores. */
interface Damage {
  readonly member: string;
  readonly value: unknown;
  apply(): Promise<void>;
  undo(): Promise<void>;
}

export interface DamageableRows {
  /**
   * Every damage of the row whose id is `id`: each member in turn with each wrong value. The id of hook counts is
   * `<hour> <integration id>`.
   */
  listDamages(collection: string, id: string): Promise<Damage[]>;
  close(): Promise<void>;
}

export async function openDamageableRows({ place }: Pick<TestBackend, 'place'>): Promise<DamageableRows> {
  if (place === undefined) throw new Error('simulated rows cannot be damaged');
  return 'file' in place ? openSqliteRows(place.file) : openMongoRows(place.database);
}

const wrongValues: readonly unknown[] = ['{', 7.5, true, { of: 'none' }, ['one', 2], null, undefined];
const nestedWrongValues: readonly unknown[] = ['{', { of: 'none' }, null];

/** Returns the value with each nested member in turn replaced by each wrong value, and the path of the member. */
function damageMembers(
  value: unknown,
  path = '',
): { readonly member: string; readonly by: unknown; readonly of: unknown }[] {
  if (typeof value === 'string' && path !== '' && isJson(value)) {
    return damageText(value).map(({ member, by, text }) => ({ member: `${path} ${member}`, by, of: text }));
  }
  const isNest = Array.isArray(value) || (typeof value === 'object' && value !== null && isPlain(value));
  if (!isNest) return [];
  return Object.entries(value).flatMap(([name, nested]) => {
    const put = (by: unknown) =>
      Array.isArray(value) ? value.with(Number(name), by) : { ...(value as object), [name]: by };
    const member = path === '' ? name : `${path}.${name}`;
    const deeper = damageMembers(nested, member).map((damage) => ({ ...damage, of: put(damage.of) }));
    return [...(path === '' ? wrongValues : nestedWrongValues).map((by) => ({ member, by, of: put(by) })), ...deeper];
  });
}

/** Whether the text is that of an object or a list. */
function isJson(text: string): boolean {
  try {
    return /^[[{]/.test(text) && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

const isPlain = (value: object) => Object.getPrototypeOf(value) === Object.prototype;

/** The same of a text that is JSON: also a text that is none. */
function damageText(text: string): { readonly member: string; readonly by: unknown; readonly text: string }[] {
  const whole = ['{', '', 'null', '7'].map((by) => ({ member: '', by, text: by }));
  if (!isJson(text)) return whole.slice(0, 2);
  const nested = damageMembers(JSON.parse(text)).map(({ member, by, of }) => ({
    member,
    by,
    text: JSON.stringify(of),
  }));
  return [...whole, ...nested];
}

async function openMongoRows(name: string): Promise<DamageableRows> {
  const client = await MongoClient.connect(requireServerUrl('MONGODB_URL'), { ignoreUndefined: true });
  const redis = new Redis(findQueueRedis().operatorUrl);
  const keys = redisKeys(name);

  async function listInMongo(collection: string, id: string): Promise<Damage[]> {
    const documents = client.db(name).collection<Document>(collection);
    const document = await documents.findOne({
      $or: [{ _id: id }, { id }, { _id: new UUID(id) }, { id: new UUID(id) }],
    } as never);
    if (document === null) throw new Error(`${collection} has no document ${id}`);
    const { _id, ...members } = document;
    const replace = async (by: Document) => void (await documents.replaceOne({ _id }, by));
    return damageMembers(members).map(({ member, by, of }) => ({
      member,
      value: by,
      apply: () => replace({ ...(of as Document), _id }),
      undo: () => replace(document),
    }));
  }

  async function listCounts(hour: string, integrationId: string): Promise<Damage[]> {
    const [key, field] = [keys.hookCounts(hour), `${integrationId}:accepted`];
    const whole = await redis.hget(key, field);
    const write = async (value: string) => void (await redis.hset(key, field, value));
    return ['{', '', '7.5', '-1', '9007199254740993'].map((value) => ({
      member: 'accepted',
      value,
      apply: () => write(value),
      undo: () => write(whole ?? ''),
    }));
  }

  return {
    listDamages: (collection, id) => {
      const [first = '', second = ''] = id.split(' ');
      if (collection === 'hookCounts') return listCounts(first, second);
      return listInMongo(collection, id);
    },
    close: async () => {
      redis.disconnect();
      await client.close();
    },
  };
}

/** Where a row is: its table, and the columns whose values the id has, separated by spaces. Of others: the key. */
const tables: Readonly<Record<string, readonly [table: string, ...keys: string[]]>> = {
  widgets: ['widgets', 'id'],
  sessions: ['sessions', "json_extract(body, '$.id')"],
  deliveries: ['deliveries', 'event_id'],
  hookCounts: ['hook_counts', 'hour', 'integration_id'],
};

async function openSqliteRows(file: string): Promise<DamageableRows> {
  const db = new DatabaseSync(file);
  db.exec('DROP TRIGGER "auditEvents_never_change"');
  return {
    listDamages: async (collection, id) => {
      const [table, ...keys] = tables[collection] ?? [collection, 'key'];
      const keyValues = id.split(' ').map((part) => (/^\d{4}-.*Z$/.test(part) ? Date.parse(part) : part));
      const where = keys.map((key) => `${key} = ?`).join(' AND ');
      const row = db.prepare(`SELECT * FROM ${table} WHERE ${where}`).get(...keyValues);
      if (row === undefined) throw new Error(`${table} has no row ${id}`);
      const columns = db.prepare(`PRAGMA table_info(${table})`).all() as {
        name: string;
        type: string;
        notnull: number;
      }[];
      return columns
        .filter(({ name }) => name !== 'key' && !keys.includes(name))
        .flatMap(({ name, type, notnull }): Damage[] => {
          const whole = row[name] as string | number | null;
          // No hand can write a body that is no JSON: the table refuses it.
          const isBody = ({ text }: { text: string }) => name !== 'body' || !['{', ''].includes(text);
          const texts = type === 'TEXT' ? damageText(whole === null ? '' : String(whole)).filter(isBody) : [];
          // The largest number of a column does not fit a number of JavaScript.
          const numbers = type === 'TEXT' ? [] : [9e15, -1, 7, 2n ** 63n - 1n, -(2n ** 63n)];
          const values = [
            ...texts.map(({ member, by, text }) => ({ member: `${name} ${member}`, value: by, stored: text })),
            ...[...numbers, ...(notnull === 1 ? [] : [null])].map((value) => ({ member: name, value, stored: value })),
          ];
          const write = async (value: string | number | bigint | null) =>
            // By the key: a damage may change what found the row.
            void (name === 'body'
              ? db.prepare(`UPDATE ${table} SET body = ? WHERE key = ?`).run(value, String(row.key))
              : db.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${where}`).run(value, ...keyValues));
          return values.map(({ member, value, stored }) => ({
            member,
            value,
            apply: () => write(stored),
            undo: () => write(whole),
          }));
        });
    },
    close: async () => db.close(),
  };
}
