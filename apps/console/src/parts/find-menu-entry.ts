/**
 * Returns the index of the menu entry that a key leads to, or null if the key means nothing in a menu. The arrow keys
 * go round. A letter leads to the next entry that begins with it.
 */
export function findMenuEntry(key: string, labels: readonly string[], current: number): number | null {
  const count = labels.length;
  if (key === 'ArrowDown') return (current + 1) % count;
  if (key === 'ArrowUp') return (Math.max(current, 0) + count - 1) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if ([...key].length !== 1) return null;
  const following = labels.map((_, step) => (current + 1 + step) % count);
  return following.find((index) => labels[index]?.toLowerCase().startsWith(key.toLowerCase())) ?? null;
}
