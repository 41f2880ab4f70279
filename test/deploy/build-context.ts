import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, which is the context of the image's build. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const rules = readFileSync(new URL('../../.dockerignore', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/**
 * Returns whether `.dockerignore` leaves a path out of the image. The last rule that matches the path or one of its
 * folders counts.
 */
export function isIgnored(path: string): boolean {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  let isExcluded = false;
  for (const rule of rules) {
    const pattern = showDots(rule.replace(/^!/, ''));
    if (folders.some((folder) => matchesGlob(showDots(folder), pattern))) isExcluded = !rule.startsWith('!');
  }
  return isExcluded;
}

/** For Docker, a dot at the beginning of a name is a character like any other. For `matchesGlob` it is not. */
function showDots(path: string): string {
  return path.replaceAll(/(^|\/)\.(?=[^./])/g, '$1dot-');
}

/** Returns the files of the repository that `git` knows, or would add, below the given paths. */
export function listFiles(paths: readonly string[]): string[] {
  const options = ['ls-files', '--cached', '--others', '--exclude-standard', ...paths];
  const output = execFileSync('git', options, { cwd: root, encoding: 'utf8' });
  return [...new Set(output.trim().split('\n'))];
}
