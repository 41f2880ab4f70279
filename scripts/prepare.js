// Runs after `npm ci` and `npm install`: makes the types of the client library, and builds the console, which every pod
// serves. Also with the Node that npm runs on, so it is plain JavaScript.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const vite = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', import.meta.url));

if (existsSync(vite)) {
  const commands = [
    // `npm run`, because it runs on the Node of the packages for development.
    `npm run --silent write:client-interface`,
    `"${process.execPath}" "${vite}" build apps/console --logLevel warn`,
  ];
  const failed = commands.find(
    (command) => spawnSync(command, { cwd: root, stdio: 'inherit', shell: true }).status !== 0,
  );
  process.exitCode = failed === undefined ? 0 : 1;
} else {
  console.log('The console is not built, because packages for development are not installed.');
}
