import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeMutation } from './mutation.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const copied = ['packages', 'apps', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const workspaces = {
  shared: 'packages/shared',
  cluster: 'packages/cluster',
  embedded: 'packages/embedded',
  api: 'apps/api',
  worker: 'apps/worker',
  test: 'test',
} as const;

/** A copy of the code and its tests, to apply one mutation after another to. */
export interface MutantTree {
  readonly path: string;
  /** Applies the mutation and returns a function that undoes it. Throws if `from` does not occur exactly once. */
  mutate(mutation: CodeMutation): Promise<() => Promise<void>>;
  dispose(): Promise<void>;
}

/** Copies the code and its tests into a new folder. */
export async function makeMutantTree(): Promise<MutantTree> {
  const path = await mkdtemp(join(tmpdir(), 'widget-mutants-'));
  const isSource = (source: string) => !source.includes('node_modules') && !source.includes('.turbo');
  for (const part of copied) await cp(join(root, part), join(path, part), { recursive: true, filter: isSource });
  await linkModules(path);
  return {
    path,
    mutate: async ({ rule, also = [], ...first }) => {
      const before = new Map<string, string>();
      for (const { file, from, to } of [first, ...also]) {
        const text = await readFile(join(path, file), 'utf8');
        if (text.split(from).length !== 2)
          throw new Error(`"${rule}": the text to replace does not occur exactly once in ${file}`);
        if (!before.has(file)) before.set(file, text);
        await writeFile(
          join(path, file),
          text.replace(from, () => to),
        );
      }
      return async () => {
        for (const [file, text] of before) await writeFile(join(path, file), text);
      };
    },
    dispose: () => rm(path, { recursive: true, force: true }),
  };
}

/** Links the installed packages, except our own workspaces, which the copy contains. */
async function linkModules(path: string): Promise<void> {
  const installed = join(root, 'node_modules');
  const linked = join(path, 'node_modules');
  await mkdir(join(linked, '@widget-service'), { recursive: true });
  for (const name of await readdir(installed)) {
    // The cache of what Node has compiled names files by their path: that of a copy is of no use to anybody else.
    if (name !== '@widget-service' && name !== '.cache') await symlink(join(installed, name), join(linked, name));
  }
  for (const [name, folder] of Object.entries(workspaces)) {
    await symlink(join(path, folder), join(linked, '@widget-service', name));
    const own = join(folder, 'node_modules');
    if (existsSync(join(root, own))) await symlink(join(root, own), join(path, own));
  }
}
