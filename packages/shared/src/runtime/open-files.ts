import { readFileSync } from 'node:fs';

/** Returns how many files this process may have open (`ulimit -n`). Infinite where the system does not say it. */
export function readOpenFilesMax(): number {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return max === undefined ? Number.POSITIVE_INFINITY : Number(max);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
