import { z } from 'zod';
import { UnreadableRowError } from '../domain/errors.ts';
import type { ListedRow } from '../domain/page.ts';
import type { Shape } from '../entities/shape-checks.ts';

/** Writes a warning to the log of the process. */
export type OnWarning = (message: string, details?: object) => void;

/** How to read the rows of one collection or table. */
export interface RowKind<Row, T> {
  /** The collection or table. */
  readonly of: string;
  /** Returns the key of the row for the log. Never a secret. */
  readonly identify: (row: Row) => unknown;
  /** May throw, for example a `ZodError`, which names the wrong member. */
  readonly convert: (row: Row) => T;
  /** Not needed if `convert` checks. */
  readonly shape?: Shape<T>;
}

/** How often the same damaged row is logged. */
const logEveryMs = 60_000;
/** How many damaged rows are remembered, to log each only once in that time. */
const rememberedMax = 1_000;
const loggedAtMs = new Map<string, number>();

/** Reads one kind of stored rows. It checks each member, so no damaged row reaches a caller. */
export class RowReader<Row, T extends object> {
  readonly #kind: RowKind<Row, T>;
  readonly #checks: readonly [keyof T & string, (value: unknown) => boolean][];
  readonly #onWarning: OnWarning | undefined;

  constructor(kind: RowKind<Row, T>, onWarning?: OnWarning) {
    this.#kind = kind;
    this.#checks = Object.entries(kind.shape ?? {}) as [keyof T & string, (value: unknown) => boolean][];
    this.#onWarning = onWarning;
  }

  /** Throws `UnreadableRowError` for a damaged row. */
  read(row: Row): T {
    let member = '';
    try {
      const entity = this.#kind.convert(row);
      member = this.#checks.find(([name, check]) => !check(entity[name]))?.[0] ?? '';
      if (member === '') return entity;
    } catch (error) {
      // Keeps only the path of the error, because its message may contain the value.
      if (error instanceof z.ZodError) member = error.issues[0]?.path.join('.') ?? '';
    }
    const { of } = this.#kind;
    const id = String(this.#kind.identify(row));
    this.#warn({ of, id, ...(member === '' ? {} : { member }) });
    throw new UnreadableRowError(`${of}, ${id}: a damaged row${member === '' ? '' : `, member ${member}`}`);
  }

  /** As `read`. Returns null for null or undefined, which stand for no row. */
  readIfAny(row: Row | null | undefined): T | null {
    return row === null || row === undefined ? null : this.read(row);
  }

  readList(rows: readonly Row[]): ListedRow<T>[] {
    return rows.map((row) => this.#readListed(row));
  }

  /** Returns the rows before the first damaged one. Throws `UnreadableRowError` if the first one is. */
  readUntilDamaged(rows: readonly Row[]): T[] {
    const entities: T[] = [];
    for (const row of rows) {
      const entity = entities.length === 0 ? this.read(row) : this.#readListed(row);
      if (entity === null) break;
      entities.push(entity);
    }
    return entities;
  }

  /** Returns the rows after the last damaged one. */
  readSinceDamaged(rows: readonly Row[]): T[] {
    const listed = this.readList(rows);
    return listed.slice(listed.lastIndexOf(null) + 1).filter((entity) => entity !== null);
  }

  #readListed(row: Row): ListedRow<T> {
    try {
      return this.read(row);
    } catch (error) {
      if (error instanceof UnreadableRowError) return null;
      throw error;
    }
  }

  #warn(row: { readonly of: string; readonly id: string }): void {
    const key = `${row.of} ${row.id}`;
    if (performance.now() < (loggedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + logEveryMs) return;
    if (loggedAtMs.size >= rememberedMax) loggedAtMs.clear();
    loggedAtMs.set(key, performance.now());
    this.#onWarning?.('store.row_unreadable', row);
  }
}
