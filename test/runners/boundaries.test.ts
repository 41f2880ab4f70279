import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const biomePath = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));
/** A separate folder with a copy of the rules: the test writes no file into the repository. */
const root = mkdtempSync(join(tmpdir(), 'widget-boundaries-'));
copyFileSync(new URL('../../biome.json', import.meta.url), join(root, 'biome.json'));
afterAll(() => rmSync(root, { recursive: true }));

const shared = 'packages/shared/src';
const api = 'apps/api/src';

const forbidden: readonly (readonly [path: string, specifier: string])[] = [
  [`${shared}/domain/x.ts`, '../ports/backend.ts'],
  [`${shared}/ports/x.ts`, '../usecases/hooks/accept-hook.ts'],
  [`${shared}/usecases/hooks/x.ts`, '../../tasks/worker-tasks.ts'],
  [`${shared}/usecases/hooks/x.ts`, '../../runtime/logger.ts'],
  [`${shared}/runtime/x.ts`, '../ports/backend.ts'],
  [`${shared}/config/x.ts`, '../tasks/worker-tasks.ts'],
  ['packages/cluster/src/x.ts', '@widget-service/shared/usecases/hooks/accept-hook.ts'],
  ['packages/embedded/src/x.ts', '@widget-service/shared/config/parse-settings.ts'],
  [`${shared}/adapters/x.ts`, '../runtime/logger.ts'],
  [`${api}/http/x.ts`, '../caller/credentials.ts'],
  [`${api}/http/x.ts`, '../streams/fan-out/hub.ts'],
  [`${api}/revocation/x.ts`, '../caller/enforce-policy.ts'],
  [`${api}/revocation/x.ts`, '../streams/fan-out/hub.ts'],
  [`${api}/caller/x.ts`, '../widgets/widget-routes.ts'],
  [`${api}/caller/x.ts`, '../streams/fan-out/hub.ts'],
  [`${api}/caller/limits/x.ts`, '../../streams/fan-out/hub.ts'],
  [`${api}/grants/x.ts`, '../people/users.ts'],
  [`${api}/sources/x.ts`, '../hooks/intake.ts'],
  [`${api}/operators/x.ts`, '../streams/stream-directory.ts'],
  [`${api}/streams/fan-out/x.ts`, '../../widgets/list-widgets.ts'],
  [`${api}/caller/oidc/x.ts`, '../../people/sessions.ts'],
  [`${api}/schemas/x.ts`, '../widgets/widget-routes.ts'],
  [`${api}/schemas/x.ts`, '../caller/enforce-policy.ts'],
  [`${api}/audit/x.ts`, '../streams/stream-directory.ts'],
  [`${api}/hooks/x.ts`, '../streams/stream-message-schema.ts'],
  [`${api}/hooks/deliveries/x.ts`, '../../streams/stream-message-schema.ts'],
  [`${api}/streams/x.ts`, '../hooks/intake.ts'],
  [`${api}/widgets/x.ts`, '../process/routes.ts'],
  [`${api}/people/x.ts`, '../operators/overview.ts'],
  [`${api}/streams/fan-out/x.ts`, '../../http/problem.ts'],
  [`${api}/streams/fan-out/x.ts`, '../../caller/enforce-policy.ts'],
  [`${api}/streams/fan-out/testing/x.ts`, '../../../http/problem.ts'],
];
const allowed: typeof forbidden = [
  [`${shared}/ports/x.ts`, '../domain/widget.ts'],
  [`${shared}/usecases/hooks/x.ts`, '../../ports/backend.ts'],
  ['packages/cluster/src/x.ts', '@widget-service/shared/ports/backend.ts'],
  ['packages/embedded/src/x.ts', '@widget-service/shared/config/settings.ts'],
  [`${shared}/adapters/x.ts`, '../runtime/clock.ts'],
  [`${api}/caller/x.ts`, '../http/problem.ts'],
  [`${api}/caller/limits/x.ts`, '../enforce-policy.ts'],
  [`${api}/hooks/x.ts`, '../revocation/token-caches.ts'],
  [`${api}/people/x.ts`, '../caller/csrf.ts'],
  [`${api}/grants/x.ts`, '../sources/source-schema.ts'],
  [`${api}/revocation/x.test.ts`, '../streams/fan-out/testing/fake-hub.ts'],
  [`${api}/streams/x.ts`, './fan-out/hub.ts'],
  [`${api}/streams/fan-out/x.ts`, '../../revocation/stream-entitlement.ts'],
  [`${api}/process/x.ts`, '../hooks/intake.ts'],
];

test('the linter rejects each import against the direction of the folders, and no other', () => {
  // A file for each import: some have the same path.
  const files = [...forbidden, ...allowed].map(([path, specifier], index) => {
    const file = path.replace(/x(?=(?:\.test)?\.ts$)/, `x${index}`);
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), `import '${specifier}';\n`);
    return file;
  });
  const options = [
    'lint',
    '--vcs-enabled=false',
    '--only=noRestrictedImports',
    '--reporter=json',
    '--max-diagnostics=none',
  ];
  const { stdout } = spawnSync(biomePath, options, { cwd: root, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
  const rejected = diagnostics.filter(({ category }) => category === 'lint/style/noRestrictedImports');
  expect(rejected.map(({ location }) => location.path).sort()).toEqual(files.slice(0, forbidden.length).sort());
});

test('no code reads the path of a file from a URL: it would contain %20 for a space', () => {
  const options = ['grep', '-lE', 'import\\.meta\\.url\\)?\\.(pathname|slice|replace|startsWith)|`file://\\$\\{'];
  const { status, stdout } = spawnSync('git', [...options, '--', '*.ts', '*.tsx', '*.js'], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});
