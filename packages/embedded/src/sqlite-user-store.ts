import type { StatementSync } from 'node:sqlite';
import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type { Role } from '@widget-service/shared/domain/role.ts';
import {
  type ExternalIdentity,
  isEnabledAdmin,
  type User,
  type UserChanges,
  type UserStore,
  type UserUpdate,
} from '@widget-service/shared/ports/user-store.ts';
import type { Database } from './database.ts';
import { toDate, toMs } from './sqlite-values.ts';

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly disabled: number;
  readonly password_hash: string | null;
  readonly must_change_password: number;
  readonly identity_issuer: string | null;
  readonly identity_subject: string | null;
  readonly created_at: number;
  readonly last_sign_in_at: number | null;
}

export class SqliteUserStore implements UserStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #hasAny: StatementSync;
  readonly #selectByEmail: StatementSync;
  readonly #selectById: StatementSync;
  readonly #selectByIdentity: StatementSync;
  readonly #selectPage: StatementSync;
  readonly #count: StatementSync;
  readonly #hasOtherEnabledAdmin: StatementSync;
  readonly #update: StatementSync;
  readonly #replacePasswordHash: StatementSync;
  readonly #replacePasswordByIdentity: StatementSync;
  readonly #recordSignIn: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      'INSERT INTO users (id, email, name, role, disabled, password_hash, must_change_password, created_at, ' +
        'last_sign_in_at, identity_issuer, identity_subject) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#hasAny = db.prepare('SELECT 1 FROM users LIMIT 1');
    this.#selectByEmail = db.prepare('SELECT * FROM users WHERE email = ?');
    this.#selectById = db.prepare('SELECT * FROM users WHERE id = ?');
    this.#selectByIdentity = db.prepare('SELECT * FROM users WHERE identity_issuer = ? AND identity_subject = ?');
    this.#selectPage = db.prepare('SELECT * FROM users ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?');
    this.#count = db.prepare('SELECT count(*) AS total FROM (SELECT 1 FROM users LIMIT ?)');
    this.#hasOtherEnabledAdmin = db.prepare(
      "SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0 AND id <> ? LIMIT 1",
    );
    this.#update = db.prepare(
      'UPDATE users SET name = ?, role = ?, disabled = ?, password_hash = ?, must_change_password = ? WHERE id = ?',
    );
    this.#replacePasswordHash = db.prepare(
      'UPDATE users SET password_hash = ?, must_change_password = 0 WHERE id = ? AND password_hash = ?',
    );
    this.#replacePasswordByIdentity = db.prepare(
      'UPDATE OR IGNORE users SET identity_issuer = ?, identity_subject = ?, password_hash = NULL, ' +
        'must_change_password = 0 WHERE id = ? AND identity_issuer IS NULL',
    );
    this.#recordSignIn = db.prepare('UPDATE users SET last_sign_in_at = ? WHERE id = ?');
  }

  insert(user: User): Promise<boolean> {
    return this.#db.write(() => this.#insertUser(user));
  }

  insertFirst(user: User): Promise<boolean> {
    return this.#db.write(() => this.#hasAny.get() === undefined && this.#insertUser(user));
  }

  findByEmail(email: string): Promise<User | null> {
    return this.#db.read(() => this.#find(this.#selectByEmail, email));
  }

  findById(id: string): Promise<User | null> {
    return this.#db.read(() => this.#find(this.#selectById, id));
  }

  findByIdentity({ issuer, subject }: ExternalIdentity): Promise<User | null> {
    return this.#db.read(() => this.#find(this.#selectByIdentity, issuer, subject));
  }

  list({ offset, limit }: RowRange): Promise<User[]> {
    return this.#db.read(() => this.#selectPage.all(limit, offset).map((row) => toUser(row as unknown as UserRow)));
  }

  count(atMost: number): Promise<number> {
    return this.#db.read(() => Number(this.#count.get(atMost)?.total));
  }

  update(id: string, changes: UserChanges): Promise<UserUpdate> {
    return this.#db.write(() => {
      const current = this.#find(this.#selectById, id);
      if (current === null) return { status: 'unknown' };
      if (changes.passwordHash !== undefined && current.identity !== undefined) return { status: 'no-password' };
      const user = { ...current, ...changes };
      const losesAdmin = isEnabledAdmin(current) && !isEnabledAdmin(user);
      if (losesAdmin && this.#hasOtherEnabledAdmin.get(id) === undefined) return { status: 'last-admin' };
      const { name, role, disabled, passwordHash, mustChangePassword } = user;
      this.#update.run(name, role, disabled ? 1 : 0, passwordHash, mustChangePassword ? 1 : 0, id);
      return { status: 'updated', user };
    });
  }

  replacePasswordHash(id: string, expectedHash: string, newHash: string): Promise<boolean> {
    return this.#db.write(() => this.#replacePasswordHash.run(newHash, id, expectedHash).changes === 1);
  }

  replacePasswordByIdentity(id: string, { issuer, subject }: ExternalIdentity): Promise<boolean> {
    return this.#db.write(() => this.#replacePasswordByIdentity.run(issuer, subject, id).changes === 1);
  }

  recordSignIn(id: string, at: Date): Promise<void> {
    return this.#db.write(() => {
      this.#recordSignIn.run(at.getTime(), id);
    });
  }

  #insertUser(user: User): boolean {
    const { changes } = this.#insert.run(
      user.id,
      user.email,
      user.name,
      user.role,
      user.disabled ? 1 : 0,
      user.passwordHash,
      user.mustChangePassword ? 1 : 0,
      user.createdAt.getTime(),
      toMs(user.lastSignInAt),
      user.identity?.issuer ?? null,
      user.identity?.subject ?? null,
    );
    return changes === 1;
  }

  #find(statement: StatementSync, ...key: string[]): User | null {
    const row = statement.get(...key) as UserRow | undefined;
    return row === undefined ? null : toUser(row);
  }
}

function toUser(row: UserRow): User {
  const { identity_issuer: issuer, identity_subject: subject } = row;
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    disabled: row.disabled === 1,
    passwordHash: row.password_hash,
    mustChangePassword: row.must_change_password === 1,
    ...(issuer === null || subject === null ? {} : { identity: { issuer, subject } }),
    createdAt: new Date(row.created_at),
    lastSignInAt: toDate(row.last_sign_in_at),
  };
}
