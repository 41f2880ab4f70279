import { query } from './address.ts';

/** Returns the time of a parameter of the address, or null if there is none, or something else. */
export function readTime(name: string): string | null {
  const ms = Date.parse(query.value.get(name) ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
