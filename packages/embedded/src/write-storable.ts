import { UnstorableError } from '@widget-service/shared/domain/errors.ts';
import type { Database } from './database.ts';

/**
 * Writes all items as one; where the database will not take that, each alone, in their order, so that only those are
 * left out that it does not take. Returns what `write` returned, and the items that were left out.
 */
export async function writeStorable<Item, Result>(
  db: Database,
  items: readonly Item[],
  write: (items: readonly Item[]) => Result[],
): Promise<{ readonly results: Result[]; readonly unstorable: Item[] }> {
  try {
    return { results: await db.write(() => write(items)), unstorable: [] };
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    if (items.length === 1) return { results: [], unstorable: [...items] };
  }
  // Asked for in one turn, they share one wait for the disk.
  const each = await Promise.all(items.map((item) => writeStorable(db, [item], write)));
  return { results: each.flatMap(({ results }) => results), unstorable: each.flatMap(({ unstorable }) => unstorable) };
}
