import type { SQLInputValue } from 'node:sqlite';
import { createRowReader, type Shape } from '@widget-service/shared/adapters/row-reader.ts';
import {
  integrationShape,
  provisionTokenShape,
  subscriptionShape,
} from '@widget-service/shared/adapters/row-shapes.ts';
import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Grant, PreviousToken } from '@widget-service/shared/domain/grant.ts';
import type { HookSource } from '@widget-service/shared/domain/hook-source.ts';
import type { Permission } from '@widget-service/shared/domain/role.ts';
import type {
  GrantSelection,
  GrantStore,
  Integration,
  ProvisionToken,
  Subscription,
} from '@widget-service/shared/ports/grant-store.ts';
import type { Database } from './database.ts';
import type { OnWarning } from './on-warning.ts';
import { toDate, toFlag, toMs } from './sqlite-values.ts';
import { toPlaceholders } from './sqlite-widget-columns.ts';

/** One kind of grant: its table, and the columns that only this kind has. */
export interface GrantKind<Own extends object> {
  readonly table: string;
  readonly columns: readonly string[];
  readonly shape: Shape<Grant & Own>;
  /** Returns the values in the order of `columns`. */
  readonly toColumnValues: (own: Own) => SQLInputValue[];
  readonly parseRow: (row: Readonly<Record<string, unknown>>) => Own;
}

/** The columns that all kinds have. */
interface GrantRow {
  readonly id: string;
  readonly name: string;
  readonly token_digest: string;
  readonly sealed_secret: string | null;
  readonly token_issued_at: number;
  readonly previous_digest: string | null;
  readonly previous_sealed_secret: string | null;
  readonly previous_expires_at: number | null;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly last_used_at: number | null;
}

const tokenColumns = [
  'token_digest',
  'sealed_secret',
  'token_issued_at',
  'previous_digest',
  'previous_sealed_secret',
  'previous_expires_at',
] as const;

/** The grants of one kind, in a table of their own. */
export function createSqliteGrantStore<Own extends object, Changes extends object>(
  db: Database,
  kind: GrantKind<Own>,
  onWarning?: OnWarning,
): GrantStore<Grant & Own, Changes> {
  const statements = prepareStatements(db, kind);

  const grants = createRowReader({
    of: kind.table,
    identify: ({ id }: Record<string, unknown>) => id,
    convert: (columns): Grant & Own => ({
      ...toCommonMembers(columns as unknown as GrantRow),
      ...kind.parseRow(columns),
    }),
    shape: kind.shape,
    onWarning,
  });
  const find = (id: string): (Grant & Own) | null => grants.readIfAny(statements.selectById.get(id));

  function toChangeableValues(grant: Grant & Own): SQLInputValue[] {
    return [grant.name, toMs(grant.expiresAt), ...kind.toColumnValues(grant)];
  }

  return {
    insert: (grant) => {
      const { id, createdAt, createdBy, lastUsedAt } = grant;
      return db.write(() => {
        // In the order of `allColumns`.
        statements.insert.run(
          ...[id, createdAt.getTime(), createdBy, toMs(lastUsedAt)],
          ...toTokenValues(grant),
          ...toChangeableValues(grant),
        );
      });
    },
    findByTokenDigest: (digest, validAt) => {
      // Without `validAt`, no token counts as expired: every stored time is later than this.
      const validAtMs = validAt?.getTime() ?? Number.MIN_SAFE_INTEGER;
      return db.read(() => grants.readIfAny(statements.selectByDigest.get(digest, validAtMs)));
    },
    get: (id) => db.read(() => find(id)),
    getNames: (ids) =>
      db.read(() => {
        const rows = statements.selectNames.all(JSON.stringify(ids)) as unknown as Pick<GrantRow, 'id' | 'name'>[];
        return new Map(rows.map(({ id, name }) => [id, name]));
      }),
    list: (selection, { offset, limit }) =>
      db.read(() => grants.readList(statements.selectPage.all(...toSelectionValues(selection), limit, offset))),
    count: (selection, atMost) =>
      db.read(() => Number(statements.count.get(...toSelectionValues(selection), atMost)?.total)),
    update: (id, changes) =>
      db.write(() => {
        const current = find(id);
        if (current === null) return null;
        const changed = { ...current, ...changes };
        statements.update.run(...toChangeableValues(changed), id);
        return changed;
      }),
    replaceTokens: (id, replacement) => {
      const { replaced, expiry } = replacement;
      const values = toTokenValues(replacement);
      const tokens = [replaced.token, replaced.previousToken];
      const key = [id, ...tokens.flatMap((token) => [token?.digest ?? null, token?.sealedSecret ?? null])];
      return db.write(() => {
        const { changes } =
          expiry === undefined
            ? statements.replaceTokens.run(...values, ...key)
            : statements.replaceTokensAndExpiry.run(...values, toMs(expiry.value), ...key, toMs(expiry.replaced));
        return changes === 0 ? null : find(id);
      });
    },
    endPreviousToken: (id, digest) => db.write(() => statements.endPreviousToken.run(id, digest).changes === 1),
    remove: (id) => db.write(() => statements.delete.run(id).changes === 1),
    recordLastUsed: (id, at) =>
      db.write(() => {
        statements.updateLastUsed.run(at.getTime(), id);
      }),
  };
}

function prepareStatements(db: Database, { table, columns }: Pick<GrantKind<never>, 'table' | 'columns'>) {
  const allColumns = [
    'id',
    'created_at',
    'created_by',
    'last_used_at',
    ...tokenColumns,
    'name',
    'expires_at',
    ...columns,
  ];
  const hasTokens =
    'id = ? AND token_digest = ? AND sealed_secret IS ? AND previous_digest IS ? AND previous_sealed_secret IS ?';
  const set = (names: readonly string[]) => names.map((name) => `${name} = ?`).join(', ');
  // Every time of creation is less than the number that stands for no `createdBefore`.
  // SQLite's `lower` changes the letters from A to Z only.
  const isSelected =
    'created_at < ?1 AND (?2 IS NULL OR expires_at < ?2) AND (?3 IS NULL OR instr(lower(name), lower(?3)) > 0)';
  return {
    insert: db.prepare(`INSERT INTO ${table} (${allColumns.join(', ')}) VALUES (${toPlaceholders(allColumns)})`),
    selectByDigest: db.prepare(
      `SELECT * FROM ${table}
         WHERE (token_digest = ?1 OR (previous_digest = ?1 AND previous_expires_at > ?2))
           AND (expires_at IS NULL OR expires_at > ?2)`,
    ),
    selectById: db.prepare(`SELECT * FROM ${table} WHERE id = ?`),
    selectNames: db.prepare(`SELECT id, name FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`),
    selectPage: db.prepare(
      `SELECT * FROM ${table} WHERE ${isSelected} ORDER BY created_at DESC, id DESC LIMIT ?4 OFFSET ?5`,
    ),
    count: db.prepare(`SELECT count(*) AS total FROM (SELECT 1 FROM ${table} WHERE ${isSelected} LIMIT ?4)`),
    update: db.prepare(`UPDATE ${table} SET ${set(['name', 'expires_at', ...columns])} WHERE id = ?`),
    replaceTokens: db.prepare(`UPDATE ${table} SET ${set(tokenColumns)} WHERE ${hasTokens}`),
    replaceTokensAndExpiry: db.prepare(
      `UPDATE ${table} SET ${set([...tokenColumns, 'expires_at'])} WHERE ${hasTokens} AND expires_at IS ?`,
    ),
    endPreviousToken: db.prepare(
      `UPDATE ${table} SET previous_digest = NULL, previous_sealed_secret = NULL, previous_expires_at = NULL
         WHERE id = ? AND previous_digest = ?`,
    ),
    delete: db.prepare(`DELETE FROM ${table} WHERE id = ?`),
    updateLastUsed: db.prepare(`UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?`),
  };
}

function toTokenValues({
  token,
  tokenIssuedAt,
  previousToken: previous,
}: Pick<Grant, 'token' | 'tokenIssuedAt' | 'previousToken'>): SQLInputValue[] {
  return [
    token.digest,
    token.sealedSecret,
    tokenIssuedAt.getTime(),
    previous?.digest ?? null,
    previous?.sealedSecret ?? null,
    previous?.expiresAt.getTime() ?? null,
  ];
}

function toCommonMembers(row: GrantRow): Grant {
  return {
    id: row.id,
    name: row.name,
    token: { digest: row.token_digest, sealedSecret: row.sealed_secret },
    tokenIssuedAt: new Date(row.token_issued_at),
    previousToken: toPreviousToken(row),
    expiresAt: toDate(row.expires_at),
    createdAt: new Date(row.created_at),
    createdBy: row.created_by,
    lastUsedAt: toDate(row.last_used_at),
  };
}

function toPreviousToken(row: GrantRow): PreviousToken | null {
  const { previous_digest: digest, previous_sealed_secret: sealedSecret, previous_expires_at: expiresAt } = row;
  return digest === null || expiresAt === null ? null : { digest, sealedSecret, expiresAt: new Date(expiresAt) };
}

export const subscriptionKind: GrantKind<Pick<Subscription, 'filter'>> = {
  table: 'subscriptions',
  shape: subscriptionShape,
  columns: ['filter'],
  toColumnValues: ({ filter }) => [JSON.stringify(filter)],
  parseRow: (row) => ({ filter: JSON.parse(row.filter as string) as EventFilter }),
};

export const integrationKind: GrantKind<Pick<Integration, 'deduplicateByContent' | 'rate' | 'source'>> = {
  table: 'integrations',
  shape: integrationShape,
  columns: ['deduplicate_by_content', 'rate', 'source'],
  toColumnValues: ({ deduplicateByContent, rate, source }) => [
    deduplicateByContent ? 1 : 0,
    rate,
    source === null ? null : JSON.stringify(source),
  ],
  parseRow: (row) => ({
    deduplicateByContent: toFlag(row.deduplicate_by_content as number),
    rate: row.rate as number | null,
    source: row.source === null ? null : (JSON.parse(row.source as string) as HookSource),
  }),
};

export const provisionTokenKind: GrantKind<Pick<ProvisionToken, 'permissions'>> = {
  table: 'provision_tokens',
  shape: provisionTokenShape,
  columns: ['permissions'],
  toColumnValues: ({ permissions }) => [JSON.stringify(permissions)],
  parseRow: (row) => ({ permissions: JSON.parse(row.permissions as string) as Permission[] }),
};

function toSelectionValues({ createdBefore, expiresBefore, name }: GrantSelection) {
  return [createdBefore?.getTime() ?? Number.MAX_SAFE_INTEGER, expiresBefore?.getTime() ?? null, name ?? null] as const;
}
