import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const biome = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));

/** What the linter says of a file with this import, as if it stood at `path`. */
function isRefused(path: string, specifier: string): boolean {
  const options = ['lint', '--only=noRestrictedImports', `--stdin-file-path=${path}`];
  const { status } = spawnSync(biome, options, { cwd: root, input: `import '${specifier}';\n`, encoding: 'utf8' });
  return status !== 0;
}

const shared = 'packages/shared/src';

describe('the direction between folders is checked', () => {
  it.each([
    [`${shared}/domain/x.ts`, '../ports/backend.ts'],
    [`${shared}/ports/x.ts`, '../usecases/hooks/accept-hook.ts'],
    [`${shared}/usecases/hooks/x.ts`, '../../tasks/worker-tasks.ts'],
    [`${shared}/usecases/hooks/x.ts`, '../../runtime/logger.ts'],
    [`${shared}/runtime/x.ts`, '../ports/backend.ts'],
    [`${shared}/config/x.ts`, '../tasks/worker-tasks.ts'],
    ['packages/cluster/src/x.ts', '@widget-service/shared/usecases/hooks/accept-hook.ts'],
    ['packages/embedded/src/x.ts', '@widget-service/shared/config/settings.ts'],
  ])('%s may not import %s', (path, specifier) => expect(isRefused(path, specifier)).toBe(true));

  it.each([
    [`${shared}/ports/x.ts`, '../domain/widget.ts'],
    [`${shared}/usecases/hooks/x.ts`, '../../ports/backend.ts'],
    ['packages/cluster/src/x.ts', '@widget-service/shared/ports/backend.ts'],
  ])('%s may import %s', (path, specifier) => expect(isRefused(path, specifier)).toBe(false));
});
