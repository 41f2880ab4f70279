import type { ListedRow } from '@widget-service/shared/domain/page.ts';

/** Returns the rows of a list. Throws if one of them is damaged. */
export function requireReadable<T>(rows: readonly ListedRow<T>[]): T[] {
  return rows.map((row) => {
    if (row === null) throw new Error('the list has a damaged row');
    return row;
  });
}
