import { texts } from '../texts/texts.ts';

/** Says how many items are missing in an answer of the service because their stored rows are damaged. Null: none. */
export function describeUnreadable(data: unknown): string | null {
  const { unreadableItems = 0 } = (data ?? {}) as { readonly unreadableItems?: number };
  return unreadableItems === 0 ? null : texts.general.unreadableItems(unreadableItems);
}
