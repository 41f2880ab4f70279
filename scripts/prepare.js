// Runs after `npm ci` and `npm install`: builds the console, which every pod serves. Also with the Node that npm runs on, so
// it is plain JavaScript.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const vite = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', import.meta.url));

if (existsSync(vite)) {
  const built = spawnSync(process.execPath, [vite, 'build', 'apps/console', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = built.status ?? 1;
} else {
  console.log('The console is not built, because packages for development are not installed.');
}
