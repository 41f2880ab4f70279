import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsAsEnvironmentFile, settingsAsMarkdown } from './describe-settings.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

it('docs/configuration.md lists every setting as the table has it (else: node scripts/write-settings-docs.ts)', () => {
  expect(read('docs/configuration.md')).toContain(settingsAsMarkdown());
});

it('.env.example does too', () => {
  expect(read('.env.example')).toBe(settingsAsEnvironmentFile());
});
