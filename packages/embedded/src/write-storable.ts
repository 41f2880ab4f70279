import { describeError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { Database } from './database.ts';

/** An unstorable item, and the error that says so. */
interface Rejected<Item> {
  readonly item: Item;
  readonly cause: string;
}

/**
 * Writes all items in one transaction. If SQLite finds that transaction unstorable, writes each item in a transaction
 * of its own, in order. Returns the items that are unstorable, and the results of `write` for the others. Nothing is
 * synced.
 */
export async function writeStorable<Item, Result>(
  db: Database,
  items: readonly Item[],
  write: (items: readonly Item[]) => Result[],
): Promise<{ readonly results: Result[]; readonly unstorable: Rejected<Item>[] }> {
  try {
    return { results: await db.write(() => write(items), { isSynced: false }), unstorable: [] };
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    const cause = describeError(error);
    if (items.length === 1) return { results: [], unstorable: items.map((item) => ({ item, cause })) };
  }
  const outcomes = await Promise.all(items.map((item) => writeStorable(db, [item], write)));
  return {
    results: outcomes.flatMap(({ results }) => results),
    unstorable: outcomes.flatMap(({ unstorable }) => unstorable),
  };
}
