/**
 * Drops the oldest entry of a cache if it has more than `max`. Maps and sets iterate in insertion order. A caller that
 * deletes an entry before it sets it anew makes it the newest.
 */
export function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  if (entries.size <= max) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
