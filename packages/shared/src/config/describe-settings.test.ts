import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatEnvironmentFile, formatMarkdownTable } from './describe-settings.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

test('docs/configuration.md matches the settings; if not, run: node scripts/write-settings-docs.ts', () => {
  expect(read('docs/configuration.md')).toContain(formatMarkdownTable());
});

test('.env.example matches the settings; if not, run: node scripts/write-settings-docs.ts', () => {
  expect(read('.env.example')).toBe(formatEnvironmentFile());
});
