import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { type OnWarning, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import type { ListedRow, RowRange } from '@widget-service/shared/domain/page.ts';
import type { Entity, IndexMembers } from '@widget-service/shared/entities/define-entity.ts';
import type { Collection, Condition, Where } from '@widget-service/shared/ports/collection.ts';
import type { Database, Expiring } from './database.ts';

type Stored = Record<string, unknown>;

/** The entities of one kind, in a table of their own: the key, and all members as JSON. */
export class SqliteCollection<T extends object> implements Collection<T>, Expiring {
  readonly #db: Database;
  readonly #entity: Entity<T>;
  readonly #rows: RowReader<Stored, T>;
  readonly #statements = new Map<string, StatementSync>();
  /** The columns of `ORDER BY`. */
  readonly #order: string;

  /** Creates the table and its indexes if they do not exist. */
  constructor(db: Database, entity: Entity<T>, onWarning?: OnWarning) {
    this.#db = db;
    this.#entity = entity;
    const identify = (stored: Stored) => stored[entity.namedBy];
    this.#rows = new RowReader({ of: entity.name, identify, convert: entity.decode }, onWarning);
    this.#order = entity.order.length === 0 ? 'key' : entity.order.map((member) => `${toColumn(member)} DESC`).join();
    createTable(db, entity);
  }

  insert(members: T): Promise<boolean> {
    const stored = this.#entity.encode(members);
    const values = [String(stored[this.#entity.key]), toJson(stored)] as const;
    const insert = this.#prepare('INSERT INTO things (key, body) VALUES (?, ?) ON CONFLICT DO NOTHING');
    return this.#write(() => insert.run(...values).changes === 1);
  }

  get(key: string): Promise<T | null> {
    return this.#db.read(() => this.#rows.readIfAny(this.#select(key)));
  }

  find(...alternatives: readonly Where<T>[]): Promise<T | null> {
    const queries = alternatives.map((where) => toQuery(this.#entity, where));
    const where = queries.map(({ sql }) => `(${sql})`).join(' OR ');
    const select = this.#prepare(`SELECT body FROM things WHERE ${where} LIMIT 1`);
    return this.#db.read(() => this.#rows.readIfAny(parse(select.get(...queries.flatMap(({ values }) => values)))));
  }

  list(where: Where<T>, { offset, limit }: RowRange): Promise<ListedRow<T>[]> {
    const { sql, values } = toQuery(this.#entity, where);
    const { unlisted } = this.#entity;
    const body = unlisted === null ? 'body' : `json_set(body, '$.${unlisted}', '') AS body`;
    const select = this.#prepare(`SELECT ${body} FROM things WHERE ${sql} ORDER BY ${this.#order} LIMIT ? OFFSET ?`);
    return this.#db.read(() =>
      this.#rows.readList(select.all(...values, limit, offset).map((row) => parse(row) ?? {})),
    );
  }

  count(where: Where<T>, atMost: number): Promise<number> {
    const { sql, values } = toQuery(this.#entity, where);
    const select = this.#prepare(`SELECT count(*) AS total FROM (SELECT 1 FROM things WHERE ${sql} LIMIT ?)`);
    return this.#db.read(() => Number(select.get(...values, atMost)?.total));
  }

  change(key: string, decide: (current: T) => Partial<T> | null): Promise<T | null> {
    // IGNORE: another entity has a unique member.
    const update = this.#prepare('UPDATE OR IGNORE things SET body = ? WHERE key = ?');
    return this.#write(() => {
      const stored = this.#select(key);
      const changes = stored === null ? null : decide(this.#rows.read(stored));
      if (changes === null) return null;
      const changed = { ...stored, ...this.#entity.encode(changes) };
      return update.run(toJson(changed), key).changes === 1 ? this.#rows.read(changed) : null;
    });
  }

  remove(key: string): Promise<boolean> {
    return this.#write(() => this.#prepare('DELETE FROM things WHERE key = ?').run(key).changes === 1);
  }

  removeAll(where: Where<T>): Promise<void> {
    const { sql, values } = toQuery(this.#entity, where);
    return this.#write(() => {
      this.#prepare(`DELETE FROM things WHERE ${sql}`).run(...values);
    });
  }

  async removeExpired(now: Date): Promise<void> {
    const { expires } = this.#entity;
    if (expires === null) return;
    const expired = `SELECT key FROM things WHERE ${toColumn(expires)} <= ? LIMIT ?`;
    await this.#db.deleteInBatches(this.#prepare(`DELETE FROM things WHERE key IN (${expired})`), now.getTime());
  }

  #write<Result>(work: () => Result): Promise<Result> {
    return this.#db.write(work, { isSynced: !this.#entity.mayBeLost });
  }

  /** `things` stands for the table. */
  #prepare(sql: string): StatementSync {
    const statement =
      this.#statements.get(sql) ?? this.#db.prepare(sql.replaceAll(' things', ` "${this.#entity.name}"`));
    this.#statements.set(sql, statement);
    return statement;
  }

  #select(key: string): Stored | null {
    return parse(this.#prepare('SELECT body FROM things WHERE key = ?').get(key));
  }
}

/** Returns the members of a row, which may be damaged. The table accepts only JSON. */
function parse(row: Readonly<Record<string, unknown>> | undefined): Stored | null {
  return row === undefined ? null : (JSON.parse(String(row.body)) ?? {});
}

/** Times become their milliseconds. */
function toJson(stored: Stored): string {
  return JSON.stringify(stored, function (this: Stored, name: string, value: unknown) {
    const own = this[name];
    return own instanceof Date ? own.getTime() : value;
  });
}

/** An index on an expression serves only a query with the same expression: this function makes both. */
function toColumn(path: string): string {
  return `json_extract(body, '$.${path}')`;
}

function createTable<T>(db: Database, { name, indexes, unique, expires, order, neverChanges }: Entity<T>): void {
  db.prepare(
    `CREATE TABLE IF NOT EXISTS "${name}" (key TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL CHECK (json_valid(body)))
     STRICT, WITHOUT ROWID`,
  ).run();
  const create = (title: string, members: IndexMembers, kind = ''): void => {
    const columns = members.map((member) =>
      member.startsWith('-') ? `${toColumn(member.slice(1))} DESC` : toColumn(member),
    );
    db.prepare(`CREATE ${kind} INDEX IF NOT EXISTS "${name}_${title}" ON "${name}" (${columns.join()})`).run();
  };
  for (const [title, members] of Object.entries(indexes)) create(title, members);
  for (const [title, members] of Object.entries(unique)) create(title, members, 'UNIQUE');
  if (expires !== null) create('expiry', [expires]);
  if (order.length > 0)
    create(
      'by_age',
      order.map((member) => `-${member}`),
    );
  if (neverChanges)
    db.prepare(
      `CREATE TRIGGER IF NOT EXISTS "${name}_never_change" BEFORE UPDATE ON "${name}"
       BEGIN SELECT RAISE(ABORT, '${name} never change'); END`,
    ).run();
}

interface Query {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function toQuery<T>({ key }: Entity<T>, where: Where<T>): Query {
  const parts = Object.entries<Condition | undefined>(where).flatMap(([path, condition]) =>
    condition === undefined ? [] : toComparisons(path === key ? 'key' : toColumn(path), condition),
  );
  if (parts.length === 0) return { sql: 'TRUE', values: [] };
  return { sql: parts.map(({ sql }) => sql).join(' AND '), values: parts.flatMap(({ values }) => values) };
}

function toComparisons(column: string, condition: Condition): Query[] {
  if (condition === null) return [{ sql: `${column} IS NULL`, values: [] }];
  if (typeof condition !== 'object' || condition instanceof Date) {
    return [{ sql: `${column} = ?`, values: [toValue(condition)] }];
  }
  const { above, atLeast, below, not, oneOf, contains } = condition;
  const compare = (sql: string, value: Date | string | number | undefined): Query[] =>
    value === undefined ? [] : [{ sql, values: [toValue(value)] }];
  return [
    ...compare(`${column} > ?`, above),
    ...compare(`${column} >= ?`, atLeast),
    ...compare(`${column} < ?`, below),
    ...compare(`${column} IS NOT ?`, not),
    ...compare(`${column} IN (SELECT value FROM json_each(?))`, oneOf && JSON.stringify(oneOf)),
    // The function lower() changes the letters from A to Z only.
    ...compare(`instr(lower(${column}), lower(?)) > 0`, contains),
  ];
}

function toValue(value: Date | string | number | boolean): SQLInputValue {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : value;
}
