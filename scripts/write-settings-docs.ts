/** Writes the table of docs/configuration.md and the whole of .env.example from the one table of settings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { settingsAsEnvironmentFile, settingsAsMarkdown } from '../packages/shared/src/config/describe-settings.ts';

const root = new URL('../', import.meta.url);
const page = new URL('docs/configuration.md', root);
const [before] = readFileSync(page, 'utf8').split('| name |');
writeFileSync(page, `${before}${settingsAsMarkdown()}\n`);
writeFileSync(new URL('.env.example', root), settingsAsEnvironmentFile());
