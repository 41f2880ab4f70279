import { readEntryKey } from './address.ts';

/** How far each list was scrolled, in pixels, by the entry of the history and the name of the list. */
const positions = new Map<string, number>();

const toKey = (name: string) => `${readEntryKey()} ${name}`;

/** Remembers how far a list is scrolled, so that Back leads to the same place of it. */
export function rememberScroll(name: string, top: number): void {
  positions.set(toKey(name), top);
}

/** Returns how far the list was scrolled when the page of this entry was left. 0 if it was never open. */
export function recallScroll(name: string): number {
  return positions.get(toKey(name)) ?? 0;
}
