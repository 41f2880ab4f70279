const letters = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Makes a text of this length at most: what `write` returns for different names, the shortest first (`a` … `z`, `aa`
 * …).
 */
export function fillWithNames(write: (name: string) => string, length: number): string {
  const parts: string[] = [];
  let left = length;
  for (const name of generateNames()) {
    const part = write(name);
    left -= part.length;
    if (left < 0) break;
    parts.push(part);
  }
  return parts.join('');
}

/** Returns this many different names, the shortest first. */
export function listNames(count: number): string[] {
  const names: string[] = [];
  for (const name of generateNames()) {
    if (names.length === count) break;
    names.push(name);
  }
  return names;
}

function* generateNames(): Generator<string, never> {
  for (let shorter = ['']; ; ) {
    const names = shorter.flatMap((beginning) => [...letters].map((letter) => beginning + letter));
    yield* names;
    shorter = names;
  }
}
