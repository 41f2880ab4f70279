import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './build-context.ts';

const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const readSection = (title: string) => page.split(`# ${title}\n`)[1]!.split(/\n##+ /)[0]!;
const rows = readSection('Threat model')
  .split('\n')
  .filter((line) => /^\| [^-]/.test(line) && !line.startsWith('| Asset'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

test('the threat model has four cells in each row, and covers each kind of threat', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row, row.join(' | ')).toHaveLength(4);
  const kinds = new Set(rows.map(([, threat = '']) => threat.slice(0, 2)));
  expect([...kinds].sort()).toEqual(['D:', 'E:', 'I:', 'R:', 'S:', 'T:']);
});

test('the threat model names a test that exists in each row', () => {
  for (const [asset, threat, , tests = ''] of rows) {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    expect(files.length, `${asset}: ${threat}`).toBeGreaterThan(0);
    expect(files.filter((file) => !file.endsWith('.test.ts') || !existsSync(join(root, file)))).toEqual([]);
  }
});

test('each requirement of ASVS that is met names tests that exist, or says that there is none', () => {
  const cells = readSection('Requirements that are met')
    .split('\n')
    .filter((line) => line.startsWith('| V'))
    .map((line) => line.split(' | ').at(-1) ?? '');
  expect(cells.length).toBeGreaterThan(50);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const files = names
    .filter((name) => !name.startsWith('npm ') && name !== 'eval')
    .map((name) => (name.includes('/') ? name : `test/scenarios/${name}.test.ts`));
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(cells.filter((cell) => !cell.includes('`'))).toHaveLength(3);
});
