import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const biomePath = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));
/** A separate folder with a copy of the rules: the test writes no file into the repository. */
const root = mkdtempSync(join(tmpdir(), 'widget-boundaries-'));
copyFileSync(new URL('../../biome.json', import.meta.url), join(root, 'biome.json'));
afterAll(() => rmSync(root, { recursive: true }));

/** Returns true when the linter rejects a file at `path` that imports `specifier`. */
function isRejected(path: string, specifier: string): boolean {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), `import '${specifier}';\n`);
  const options = ['lint', '--vcs-enabled=false', '--only=noRestrictedImports', path];
  const { stdout, stderr } = spawnSync(biomePath, options, { cwd: root, encoding: 'utf8' });
  if (!`${stdout}${stderr}`.includes('Checked 1 file')) throw new Error(`biome did not check ${path}: ${stderr}`);
  return stderr.includes('lint/style/noRestrictedImports');
}

const shared = 'packages/shared/src';
const api = 'apps/api/src';

describe('the import direction between folders', () => {
  it.each([
    [`${shared}/domain/x.ts`, '../ports/backend.ts'],
    [`${shared}/ports/x.ts`, '../usecases/hooks/accept-hook.ts'],
    [`${shared}/usecases/hooks/x.ts`, '../../tasks/worker-tasks.ts'],
    [`${shared}/usecases/hooks/x.ts`, '../../runtime/logger.ts'],
    [`${shared}/runtime/x.ts`, '../ports/backend.ts'],
    [`${shared}/config/x.ts`, '../tasks/worker-tasks.ts'],
    ['packages/cluster/src/x.ts', '@widget-service/shared/usecases/hooks/accept-hook.ts'],
    ['packages/embedded/src/x.ts', '@widget-service/shared/config/settings.ts'],
    [`${shared}/adapters/x.ts`, '../runtime/logger.ts'],
    [`${api}/http/x.ts`, '../auth/bearer.ts'],
    [`${api}/http/x.ts`, '../limits/rate-limits.ts'],
    [`${api}/http/x.ts`, '../stream/hub.ts'],
    [`${api}/http/x.ts`, '../routes/page-body.ts'],
    [`${api}/auth/x.ts`, '../limits/rate-limits.ts'],
    [`${api}/auth/x.ts`, '../stream/hub.ts'],
    [`${api}/auth/x.ts`, '../routes/page-body.ts'],
    [`${api}/auth/testing/x.ts`, '../../routes/page-body.ts'],
    [`${api}/limits/x.ts`, '../stream/hub.ts'],
    [`${api}/limits/x.ts`, '../routes/page-body.ts'],
    [`${api}/stream/x.ts`, '../http/problem.ts'],
    [`${api}/stream/x.ts`, '../limits/rate-limits.ts'],
    [`${api}/stream/x.ts`, '../routes/page-body.ts'],
    [`${api}/stream/testing/x.ts`, '../../http/problem.ts'],
    [`${api}/stream/testing/x.ts`, '../../limits/rate-limits.ts'],
    [`${api}/stream/testing/x.ts`, '../../routes/page-body.ts'],
  ])('%s is not allowed to import %s', (path, specifier) => expect(isRejected(path, specifier)).toBe(true));

  it.each([
    [`${shared}/ports/x.ts`, '../domain/widget.ts'],
    [`${shared}/usecases/hooks/x.ts`, '../../ports/backend.ts'],
    ['packages/cluster/src/x.ts', '@widget-service/shared/ports/backend.ts'],
    [`${shared}/adapters/x.ts`, '../runtime/clock.ts'],
    [`${api}/auth/x.ts`, '../http/problem.ts'],
    [`${api}/limits/x.ts`, '../auth/bearer.ts'],
    [`${api}/stream/x.ts`, '../auth/stream-entitlement.ts'],
  ])('%s is allowed to import %s', (path, specifier) => expect(isRejected(path, specifier)).toBe(false));
});
