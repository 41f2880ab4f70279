import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './build-context.ts';

const [, section = ''] = readFileSync(join(root, 'docs/security.md'), 'utf8').split('## Threat model\n');
const rows = section
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => /^\| [^-]/.test(line) && !line.startsWith('| Asset'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

it('the threat model has four cells in each row, and covers each kind of threat', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row, row.join(' | ')).toHaveLength(4);
  const kinds = new Set(rows.map(([, threat = '']) => threat.slice(0, 2)));
  expect([...kinds].sort()).toEqual(['D:', 'E:', 'I:', 'R:', 'S:', 'T:']);
});

it('the threat model names a test that exists in each row', () => {
  for (const [asset, threat, , tests = ''] of rows) {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    expect(files.length, `${asset}: ${threat}`).toBeGreaterThan(0);
    expect(files.filter((file) => !file.endsWith('.test.ts') || !existsSync(join(root, file)))).toEqual([]);
  }
});
