import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const readLines = (file: string) => readFileSync(new URL(file, root), 'utf8').split('\n');

/**
 * Returns whether `.dockerignore` leaves a path out of the image. The last rule that matches the path or one of its
 * folders counts.
 */
function isIgnored(path: string): boolean {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  let isExcluded = false;
  for (const rule of readLines('.dockerignore').filter((line) => line !== '' && !line.startsWith('#'))) {
    const pattern = rule.replace(/^!/, '');
    if (folders.some((folder) => matchesGlob(folder, pattern))) isExcluded = !rule.startsWith('!');
  }
  return isExcluded;
}

it('the image copies only files that exist and that .dockerignore lets through', () => {
  const copied = readLines('Dockerfile')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(1, -1));
  expect(copied.length).toBeGreaterThan(8);
  for (const path of copied) {
    expect(existsSync(new URL(path, root)), path).toBe(true);
    expect(isIgnored(path), path).toBe(false);
  }
  expect(isIgnored('test/drivers')).toBe(true);
  expect(isIgnored('node_modules')).toBe(true);
});

it('the image contains no tests and no fakes', () => {
  const tracked = execFileSync('git', ['ls-files', 'apps', 'packages'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  const testFiles = tracked.filter((path) => path.endsWith('.test.ts') || path.includes('/testing/'));
  expect(testFiles.length).toBeGreaterThan(50);
  for (const path of testFiles) expect(isIgnored(path), path).toBe(true);
  const others = tracked.filter((path) => !testFiles.includes(path));
  for (const path of others) expect(isIgnored(path), path).toBe(false);
});
