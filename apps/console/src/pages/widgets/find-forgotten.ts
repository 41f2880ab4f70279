interface Change {
  readonly effect: { readonly version: number } | null;
}

/**
 * Returns the versions between the creation (version 1) and the oldest known change, or null if there are none. The
 * service no longer has the hooks that led to them. `changes` are the oldest of the widget, in any order;
 * `latestVersion` is the widget's.
 */
export function findForgotten(
  changes: readonly Change[],
  latestVersion: number,
): { readonly from: number; readonly to: number } | null {
  const versions = changes.flatMap(({ effect }) => (effect === null ? [] : [effect.version]));
  // Without any known version: a change without an effect may be one that is applied but not published yet.
  const to = versions.length > 0 ? Math.min(...versions) - 1 : latestVersion - changes.length;
  return to >= 2 ? { from: 2, to } : null;
}
