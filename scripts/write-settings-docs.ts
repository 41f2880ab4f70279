/**
 * Writes the settings table of docs/configuration.md, and .env.example. Run it after every change of `settingsTable`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { formatEnvironmentFile, formatMarkdownTable } from '../packages/shared/src/config/describe-settings.ts';

const root = new URL('../', import.meta.url);
const page = new URL('docs/configuration.md', root);
const [introduction] = readFileSync(page, 'utf8').split('| name |');
writeFileSync(page, `${introduction}${formatMarkdownTable()}\n`);
writeFileSync(new URL('.env.example', root), formatEnvironmentFile());
