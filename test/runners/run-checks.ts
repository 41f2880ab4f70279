/** `npm run check`: runs every check, also after one has failed. Exits with 1 when a check failed. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const checks = [
  'check:types',
  'check:lint',
  'check:boundaries',
  'check:unused',
  'check:patterns',
  'check:comments',
  'check:budget',
];

let failed = 0;
for (const check of checks) {
  const { status } = spawnSync('npm', ['run', '--silent', check], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${check}`);
  if (status !== 0) failed += 1;
}
console.log(`\nchecks: ${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
