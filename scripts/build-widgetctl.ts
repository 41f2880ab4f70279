/**
 * Builds the package `widgetctl` into apps/widgetctl/dist: one JavaScript file, its own package.json and the readme.
 * `npm pack ./apps/widgetctl/dist` makes the file that is published.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const source = new URL('apps/widgetctl/', root);
const target = new URL('dist/', source);

const vite = fileURLToPath(new URL('node_modules/vite/bin/vite.js', root));
execFileSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: source, stdio: 'inherit' });
chmodSync(new URL('lib/widgetctl.js', target), 0o755);

const { name, version, description, license, type } = JSON.parse(readFileSync(new URL('package.json', source), 'utf8'));
const manifest = {
  name,
  version,
  description,
  license,
  type,
  engines: { node: '>=20.12' },
  bin: { widgetctl: 'lib/widgetctl.js' },
  files: ['lib'],
};
writeFileSync(new URL('package.json', target), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(new URL('docs/widgetctl.md', root), new URL('README.md', target));
copyFileSync(new URL('LICENSE', root), new URL('LICENSE', target));
