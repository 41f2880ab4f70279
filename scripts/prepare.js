// Runs after `npm ci` and `npm install`: makes the types of the client library, and builds the console, which every pod
// serves. Also with the Node that npm runs on, so it is plain JavaScript.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

if (existsSync(new URL('../node_modules/vite/bin/vite.js', import.meta.url))) {
  const { status } = spawnSync('npm run --silent build:console', { cwd: root, stdio: 'inherit', shell: true });
  process.exitCode = status ?? 1;
} else {
  console.log('The console is not built, because packages for development are not installed.');
}
