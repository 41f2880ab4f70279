/** `npm run check:comments`: fails if a comment line has more than 120 columns. The formatter wraps no comments. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findLongComments, hasCheckedComments } from './find-long-comments.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Also files that are not committed yet. */
const listFiles = ['ls-files', '--cached', '--others', '--exclude-standard'];
const files = execFileSync('git', listFiles, { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => hasCheckedComments(path) && existsSync(`${root}${path}`));

let failed = 0;
for (const path of files) {
  for (const line of findLongComments(path, readFileSync(`${root}${path}`, 'utf8'))) {
    failed += 1;
    console.error(`${path}:${line}: wrap this comment at 120 columns`);
  }
}
console.log(`comments: ${files.length} files, ${failed} lines too long`);
process.exitCode = failed === 0 ? 0 : 1;
