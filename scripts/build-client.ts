/**
 * Builds the package `@widget-service/client` into packages/client/dist: JavaScript with types, its own package.json
 * and the readme. `npm pack ./packages/client/dist` makes the file that is published.
 *
 * The workspace itself is not published: its package.json lets the other workspaces import the sources.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const source = new URL('packages/client/', root);
const target = new URL('dist/', source);

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', root));
const project = fileURLToPath(new URL('tsconfig.build.json', source));
execFileSync(process.execPath, [compiler, '--project', project], { stdio: 'inherit' });

const { name, version, description, license, type, dependencies } = JSON.parse(
  readFileSync(new URL('package.json', source), 'utf8'),
);
const manifest = {
  name,
  version,
  description,
  license,
  type,
  sideEffects: false,
  engines: { node: '>=20.3' },
  exports: { '.': { types: './lib/index.d.ts', default: './lib/index.js' } },
  files: ['lib'],
  dependencies,
};
writeFileSync(new URL('package.json', target), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(new URL('README.md', source), new URL('README.md', target));
copyFileSync(new URL('LICENSE', root), new URL('LICENSE', target));
