import { z } from 'zod';
import { UnreadableRowError } from '../domain/errors.ts';
import type { ListedRow } from '../domain/page.ts';
import type { Shape } from '../entities/shape-checks.ts';

/** Writes a warning to the log of the process. */
export type OnWarning = (message: string, details?: object) => void;

export interface RowReaderOptions<Row, T> {
  /** The collection or table. */
  readonly of: string;
  /** Returns the key of the row for the log. Never a secret. */
  readonly identify: (row: Row) => unknown;
  /** May throw, for example a `ZodError`, which names the wrong member. */
  readonly convert: (row: Row) => T;
  /** Not needed if `convert` checks. */
  readonly shape?: Shape<T>;
  readonly onWarning?: OnWarning | undefined;
}

export interface RowReader<Row, T> {
  /** Throws `UnreadableRowError` for a damaged row. */
  readonly read: (row: Row) => T;
  /** As `read`. Returns null for null or undefined, which stand for no row. */
  readonly readIfAny: (row: Row | null | undefined) => T | null;
  readonly readList: (rows: readonly Row[]) => ListedRow<T>[];
  /** Returns the rows before the first damaged one. Throws `UnreadableRowError` if there are none. */
  readonly readUntilDamaged: (rows: readonly Row[]) => T[];
  /** Returns the rows after the last damaged one. */
  readonly readSinceDamaged: (rows: readonly Row[]) => T[];
}

/** How often the same damaged row is logged. */
const logEveryMs = 60_000;
/** How many damaged rows are remembered, to log each only once in that time. */
const rememberedMax = 1_000;
const loggedAtMs = new Map<string, number>();

/** Creates the reader of one kind of stored rows. It checks each member, so no damaged row reaches a caller. */
export function createRowReader<Row, T extends object>(options: RowReaderOptions<Row, T>): RowReader<Row, T> {
  const { of, identify, convert, shape = {}, onWarning } = options;
  const checks = Object.entries(shape) as [keyof T & string, (value: unknown) => boolean][];

  function read(row: Row): T {
    let member = '';
    try {
      const entity = convert(row);
      member = checks.find(([name, check]) => !check(entity[name]))?.[0] ?? '';
      if (member === '') return entity;
    } catch (error) {
      // Keeps only the path of the error, because its message may contain the value.
      if (error instanceof z.ZodError) member = error.issues[0]?.path.join('.') ?? '';
    }
    const id = String(identify(row));
    warn({ of, id, ...(member === '' ? {} : { member }) });
    throw new UnreadableRowError(`${of}, ${id}: a damaged row${member === '' ? '' : `, member ${member}`}`);
  }

  function warn(row: { readonly of: string; readonly id: string }): void {
    const key = `${row.of} ${row.id}`;
    if (performance.now() < (loggedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + logEveryMs) return;
    if (loggedAtMs.size >= rememberedMax) loggedAtMs.clear();
    loggedAtMs.set(key, performance.now());
    onWarning?.('store.row_unreadable', row);
  }

  function readListed(row: Row): ListedRow<T> {
    try {
      return read(row);
    } catch (error) {
      if (error instanceof UnreadableRowError) return null;
      throw error;
    }
  }

  function readUntilDamaged(rows: readonly Row[]): T[] {
    const entities: T[] = [];
    for (const row of rows) {
      const entity = entities.length === 0 ? read(row) : readListed(row);
      if (entity === null) break;
      entities.push(entity);
    }
    return entities;
  }

  return {
    read,
    readIfAny: (row) => (row === null || row === undefined ? null : read(row)),
    readList: (rows) => rows.map(readListed),
    readUntilDamaged,
    readSinceDamaged: (rows) => {
      const listed = rows.map(readListed);
      return listed.slice(listed.lastIndexOf(null) + 1).filter((entity) => entity !== null);
    },
  };
}
