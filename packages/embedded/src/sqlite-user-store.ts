import type { StatementSync } from 'node:sqlite';
import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { userShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { Role } from '@widget-service/shared/domain/role.ts';
import { isEnabledAdmin, type User, type UserStore } from '@widget-service/shared/ports/user-store.ts';
import type { Database } from './database.ts';
import type { OnWarning } from './on-warning.ts';
import { toDate, toFlag, toMs } from './sqlite-values.ts';

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly disabled: number;
  readonly password_hash: string | null;
  readonly must_change_password: number;
  readonly password_expires_at: number | null;
  readonly identity_issuer: string | null;
  readonly identity_subject: string | null;
  readonly created_at: number;
  readonly last_sign_in_at: number | null;
}

export function createSqliteUserStore(db: Database, onWarning?: OnWarning): UserStore {
  const users = createRowReader({
    of: 'users',
    identify: ({ id }: UserRow) => id,
    convert: toUser,
    shape: userShape,
    onWarning,
  });
  const statements = prepareStatements(db);

  function insertUser(user: User): boolean {
    const { changes } = statements.insert.run(
      user.id,
      user.email,
      user.name,
      user.role,
      user.disabled ? 1 : 0,
      user.passwordHash,
      user.mustChangePassword ? 1 : 0,
      toMs(user.passwordExpiresAt ?? null),
      user.createdAt.getTime(),
      toMs(user.lastSignInAt),
      user.identity?.issuer ?? null,
      user.identity?.subject ?? null,
    );
    return changes === 1;
  }

  function find(statement: StatementSync, ...key: string[]): User | null {
    return users.readIfAny(statement.get(...key) as UserRow | undefined);
  }

  return {
    insert: (user) => db.write(() => insertUser(user)),
    insertFirst: (user) => db.write(() => statements.hasAny.get() === undefined && insertUser(user)),
    findByEmail: (email) => db.read(() => find(statements.selectByEmail, email)),
    findById: (id) => db.read(() => find(statements.selectById, id)),
    findByIdentity: ({ issuer, subject }) => db.read(() => find(statements.selectByIdentity, issuer, subject)),
    list: ({ offset, limit }) =>
      db.read(() => users.readList(statements.selectPage.all(limit, offset) as unknown as UserRow[])),
    count: (atMost) => db.read(() => Number(statements.count.get(atMost)?.total)),
    update: (id, changes) =>
      db.write(() => {
        const current = find(statements.selectById, id);
        if (current === null) return { status: 'unknown' };
        if (changes.passwordHash !== undefined && current.identity !== undefined) return { status: 'no-password' };
        const user = { ...current, ...changes };
        const losesAdmin = isEnabledAdmin(current) && !isEnabledAdmin(user);
        if (losesAdmin && statements.hasOtherEnabledAdmin.get(id) === undefined) return { status: 'last-admin' };
        const { name, role, disabled, passwordHash, mustChangePassword, passwordExpiresAt = null } = user;
        const numbers = [mustChangePassword ? 1 : 0, toMs(passwordExpiresAt)];
        statements.update.run(name, role, disabled ? 1 : 0, passwordHash, ...numbers, id);
        return { status: 'updated', user };
      }),
    replacePasswordHash: (id, expectedHash, newHash) =>
      db.write(() => statements.replacePasswordHash.run(newHash, id, expectedHash).changes === 1),
    replacePasswordByIdentity: (id, { issuer, subject }) =>
      db.write(() => statements.replacePasswordByIdentity.run(issuer, subject, id).changes === 1),
    recordSignIn: (id, at) =>
      db.write(() => {
        statements.recordSignIn.run(at.getTime(), id);
      }),
  };
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare(
      'INSERT INTO users (id, email, name, role, disabled, password_hash, must_change_password, ' +
        'password_expires_at, created_at, last_sign_in_at, identity_issuer, identity_subject) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    hasAny: db.prepare('SELECT 1 FROM users LIMIT 1'),
    selectByEmail: db.prepare('SELECT * FROM users WHERE email = ?'),
    selectById: db.prepare('SELECT * FROM users WHERE id = ?'),
    selectByIdentity: db.prepare('SELECT * FROM users WHERE identity_issuer = ? AND identity_subject = ?'),
    selectPage: db.prepare('SELECT * FROM users ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?'),
    count: db.prepare('SELECT count(*) AS total FROM (SELECT 1 FROM users LIMIT ?)'),
    hasOtherEnabledAdmin: db.prepare("SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0 AND id <> ? LIMIT 1"),
    update: db.prepare(
      'UPDATE users SET name = ?, role = ?, disabled = ?, password_hash = ?, must_change_password = ?, ' +
        'password_expires_at = ? WHERE id = ?',
    ),
    replacePasswordHash: db.prepare(
      'UPDATE users SET password_hash = ?, must_change_password = 0 WHERE id = ? AND password_hash = ?',
    ),
    replacePasswordByIdentity: db.prepare(
      'UPDATE OR IGNORE users SET identity_issuer = ?, identity_subject = ?, password_hash = NULL, ' +
        'must_change_password = 0 WHERE id = ? AND identity_issuer IS NULL',
    ),
    recordSignIn: db.prepare('UPDATE users SET last_sign_in_at = ? WHERE id = ?'),
  };
}

function toUser(row: UserRow): User {
  const { identity_issuer: issuer, identity_subject: subject } = row;
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    disabled: toFlag(row.disabled),
    passwordHash: row.password_hash,
    mustChangePassword: toFlag(row.must_change_password),
    ...(row.password_expires_at === null ? {} : { passwordExpiresAt: new Date(row.password_expires_at) }),
    ...(issuer === null || subject === null ? {} : { identity: { issuer, subject } }),
    createdAt: new Date(row.created_at),
    lastSignInAt: toDate(row.last_sign_in_at),
  };
}
