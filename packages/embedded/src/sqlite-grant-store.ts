import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Grant, PreviousToken } from '@widget-service/shared/domain/grant.ts';
import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type { Permission } from '@widget-service/shared/domain/role.ts';
import type {
  GrantSelection,
  GrantStore,
  Integration,
  ProvisionToken,
  Subscription,
  TokenReplacement,
} from '@widget-service/shared/ports/grant-store.ts';
import type { Database } from './database.ts';
import { toDate, toMs } from './sqlite-values.ts';
import { toPlaceholders } from './sqlite-widget-columns.ts';

/** One kind of grant: its table, and the columns that only this kind has. */
export interface GrantKind<Own extends object> {
  readonly table: string;
  readonly columns: readonly string[];
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
export class SqliteGrantStore<Own extends object, Changes extends object> implements GrantStore<Grant & Own, Changes> {
  readonly #db: Database;
  readonly #kind: GrantKind<Own>;
  readonly #insert: StatementSync;
  readonly #selectByDigest: StatementSync;
  readonly #selectById: StatementSync;
  readonly #selectPage: StatementSync;
  readonly #count: StatementSync;
  readonly #update: StatementSync;
  readonly #replaceTokens: StatementSync;
  readonly #replaceTokensAndExpiry: StatementSync;
  readonly #delete: StatementSync;
  readonly #updateLastUsed: StatementSync;

  constructor(db: Database, kind: GrantKind<Own>) {
    const { table, columns } = kind;
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
    const set = (names: readonly string[]) => names.map((name) => `${name} = ?`).join(', ');
    this.#db = db;
    this.#kind = kind;
    this.#insert = db.prepare(`INSERT INTO ${table} (${allColumns.join(', ')}) VALUES (${toPlaceholders(allColumns)})`);
    this.#selectByDigest = db.prepare(
      `SELECT * FROM ${table}
         WHERE (token_digest = ?1 OR (previous_digest = ?1 AND previous_expires_at > ?2))
           AND (expires_at IS NULL OR expires_at > ?2)`,
    );
    this.#selectById = db.prepare(`SELECT * FROM ${table} WHERE id = ?`);
    // Every time of creation is less than the number that stands for no `createdBefore`.
    const isSelected = 'created_at < ?1 AND (?2 IS NULL OR expires_at < ?2)';
    this.#selectPage = db.prepare(
      `SELECT * FROM ${table} WHERE ${isSelected} ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4`,
    );
    this.#count = db.prepare(`SELECT count(*) AS total FROM (SELECT 1 FROM ${table} WHERE ${isSelected} LIMIT ?3)`);
    this.#update = db.prepare(`UPDATE ${table} SET ${set(['name', 'expires_at', ...columns])} WHERE id = ?`);
    this.#replaceTokens = db.prepare(`UPDATE ${table} SET ${set(tokenColumns)} WHERE id = ? AND token_digest = ?`);
    this.#replaceTokensAndExpiry = db.prepare(
      `UPDATE ${table} SET ${set([...tokenColumns, 'expires_at'])} WHERE id = ? AND token_digest = ? AND expires_at IS ?`,
    );
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
    this.#updateLastUsed = db.prepare(
      `UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?`,
    );
  }

  insert(grant: Grant & Own): Promise<void> {
    const { id, createdAt, createdBy, lastUsedAt } = grant;
    return this.#db.write(() => {
      // In the order of `allColumns`.
      this.#insert.run(
        ...[id, createdAt.getTime(), createdBy, toMs(lastUsedAt)],
        ...toTokenValues(grant),
        ...this.#toChangeableValues(grant),
      );
    });
  }

  findByTokenDigest(digest: string, validAt?: Date): Promise<(Grant & Own) | null> {
    // Without `validAt`, no token counts as expired: every stored time is later than this.
    const validAtMs = validAt?.getTime() ?? Number.MIN_SAFE_INTEGER;
    return this.#db.read(() => this.#toGrant(this.#selectByDigest.get(digest, validAtMs)));
  }

  get(id: string): Promise<(Grant & Own) | null> {
    return this.#db.read(() => this.#find(id));
  }

  list(selection: GrantSelection, { offset, limit }: RowRange): Promise<(Grant & Own)[]> {
    return this.#db.read(() =>
      this.#selectPage.all(...toSelectionValues(selection), limit, offset).flatMap((row) => this.#toGrant(row) ?? []),
    );
  }

  count(selection: GrantSelection, atMost: number): Promise<number> {
    return this.#db.read(() => Number(this.#count.get(...toSelectionValues(selection), atMost)?.total));
  }

  update(id: string, changes: Changes): Promise<(Grant & Own) | null> {
    return this.#db.write(() => {
      const current = this.#find(id);
      if (current === null) return null;
      const changed = { ...current, ...changes };
      this.#update.run(...this.#toChangeableValues(changed), id);
      return changed;
    });
  }

  replaceTokens(id: string, replacement: TokenReplacement): Promise<(Grant & Own) | null> {
    const { replacedDigest, expiry } = replacement;
    const values = toTokenValues(replacement);
    return this.#db.write(() => {
      const { changes } =
        expiry === undefined
          ? this.#replaceTokens.run(...values, id, replacedDigest)
          : this.#replaceTokensAndExpiry.run(...values, toMs(expiry.value), id, replacedDigest, toMs(expiry.replaced));
      return changes === 0 ? null : this.#find(id);
    });
  }

  remove(id: string): Promise<boolean> {
    return this.#db.write(() => this.#delete.run(id).changes === 1);
  }

  recordLastUsed(id: string, at: Date): Promise<void> {
    return this.#db.write(() => {
      this.#updateLastUsed.run(at.getTime(), id);
    });
  }

  #find(id: string): (Grant & Own) | null {
    return this.#toGrant(this.#selectById.get(id));
  }

  #toChangeableValues(grant: Grant & Own): SQLInputValue[] {
    return [grant.name, toMs(grant.expiresAt), ...this.#kind.toColumnValues(grant)];
  }

  #toGrant(columns: Record<string, unknown> | undefined): (Grant & Own) | null {
    if (columns === undefined) return null;
    const row = columns as unknown as GrantRow;
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
      ...this.#kind.parseRow(columns),
    };
  }
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

function toPreviousToken(row: GrantRow): PreviousToken | null {
  const { previous_digest: digest, previous_sealed_secret: sealedSecret, previous_expires_at: expiresAt } = row;
  return digest === null || expiresAt === null ? null : { digest, sealedSecret, expiresAt: new Date(expiresAt) };
}

export const subscriptionKind: GrantKind<Pick<Subscription, 'filter'>> = {
  table: 'subscriptions',
  columns: ['filter'],
  toColumnValues: ({ filter }) => [JSON.stringify(filter)],
  parseRow: (row) => ({ filter: JSON.parse(row.filter as string) as EventFilter }),
};

export const integrationKind: GrantKind<Pick<Integration, 'deduplicateByContent' | 'rate'>> = {
  table: 'integrations',
  columns: ['deduplicate_by_content', 'rate'],
  toColumnValues: ({ deduplicateByContent, rate }) => [deduplicateByContent ? 1 : 0, rate],
  parseRow: (row) => ({ deduplicateByContent: row.deduplicate_by_content === 1, rate: row.rate as number | null }),
};

export const provisionTokenKind: GrantKind<Pick<ProvisionToken, 'permissions'>> = {
  table: 'provision_tokens',
  columns: ['permissions'],
  toColumnValues: ({ permissions }) => [JSON.stringify(permissions)],
  parseRow: (row) => ({ permissions: JSON.parse(row.permissions as string) as Permission[] }),
};

function toSelectionValues({ createdBefore, expiresBefore }: GrantSelection) {
  return [createdBefore?.getTime() ?? Number.MAX_SAFE_INTEGER, expiresBefore?.getTime() ?? null] as const;
}
