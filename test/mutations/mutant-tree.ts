import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutation.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const workspaces = {
  shared: 'packages/shared',
  cluster: 'packages/cluster',
  embedded: 'packages/embedded',
  api: 'apps/api',
  worker: 'apps/worker',
  test: 'test',
} as const;

/** A copy of the project, or of a part of it, in a folder of its own, to be changed one way after the other. */
export interface MutantTree {
  readonly path: string;
  /** Makes the change and returns what takes it back. Throws when its text is not there exactly once. */
  mutate(mutation: Mutation): Promise<() => Promise<void>>;
  dispose(): Promise<void>;
}

/** Copies these files and folders, named from the root of the project. */
export async function makeMutantTree(copied: readonly string[]): Promise<MutantTree> {
  const path = await mkdtemp(join(tmpdir(), 'widget-mutants-'));
  const isOurs = (source: string) => !source.includes('node_modules') && !source.includes('.turbo');
  for (const part of copied) await cp(join(root, part), join(path, part), { recursive: true, filter: isOurs });
  await linkModules(path);
  return {
    path,
    mutate: async ({ rule, also = [], ...first }) => {
      const before = new Map<string, string>();
      for (const { file, from, to } of [first, ...also]) {
        const text = await readFile(join(path, file), 'utf8');
        if (text.split(from).length !== 2) throw new Error(`"${rule}": its text is not in ${file} exactly once`);
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

/** Everything as it is installed, but our own packages from the copy, as far as they are in it. */
async function linkModules(path: string): Promise<void> {
  const installed = join(root, 'node_modules');
  const linked = join(path, 'node_modules');
  await mkdir(join(linked, '@widget-service'), { recursive: true });
  for (const name of await readdir(installed)) {
    if (name !== '@widget-service') await symlink(join(installed, name), join(linked, name));
  }
  for (const [name, folder] of Object.entries(workspaces)) {
    if (!existsSync(join(path, folder))) continue;
    await symlink(join(path, folder), join(linked, '@widget-service', name));
    const own = join(folder, 'node_modules');
    if (existsSync(join(root, own))) await symlink(join(root, own), join(path, own));
  }
}
