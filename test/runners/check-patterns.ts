/**
 * `npm run check:patterns`: fails if a regular expression of the product is not proven to run in linear time. Texts
 * come from strangers, and a pattern blocks the process while it runs.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findSuperLinearPatterns } from './find-super-linear-patterns.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Also files that are not committed yet. */
const listFiles = ['ls-files', '--cached', '--others', '--exclude-standard', '--', 'apps', 'packages', 'scripts'];
const files = execFileSync('git', listFiles, { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !/\.test\.ts$|\/testing\//.test(path));

let failed = 0;
for (const path of files) {
  for (const { line, pattern, reason } of findSuperLinearPatterns(readFileSync(`${root}${path}`, 'utf8'))) {
    failed += 1;
    console.error(`${path}:${line}: ${pattern} ${reason}`);
  }
}
if (failed > 0) {
  console.error(
    `\n${failed} patterns are not proven to take linear time. Rewrite them: anchor them with ^, put a bound on each ` +
      'repetition, or use indexOf, startsWith or a loop.',
  );
}
console.log(`patterns: ${files.length} files, ${failed} patterns refused`);
process.exitCode = failed === 0 ? 0 : 1;
