import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const toPath = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** A program that follows the stream at the URL in its last argument, and prints each message as a line of JSON. */
export interface InstalledClient {
  readonly name: string;
  readonly command: readonly string[];
}

/** A client of another language. It needs that language's tools on the path. */
interface ForeignClient {
  readonly name: string;
  /** A command that succeeds if the tools are there. */
  readonly toolCheck: readonly [program: string, ...options: string[]];
  /** Installs the client into an empty folder. Returns its command. Needs the language's package registry. */
  install(folder: string): Promise<readonly string[]>;
}

export const pythonClient: ForeignClient = {
  name: 'Python httpx-sse',
  toolCheck: ['python3', '-m', 'pip', '--version'],
  install: async (folder) => {
    // To install pip into the environment would take longer than all the rest.
    await run('python3', ['-m', 'venv', '--without-pip', folder]);
    const python = join(folder, 'bin', 'python');
    const options = ['--quiet', '--no-compile', '--requirement', toPath('python/requirements.txt')];
    await run('python3', ['-m', 'pip', '--python', python, 'install', ...options]);
    return [python, toPath('python/client.py')];
  },
};

export const goClient: ForeignClient = {
  name: 'Go tmaxmax/go-sse',
  toolCheck: ['go', 'version'],
  install: async (folder) => {
    const program = join(folder, 'client');
    await run('go', ['build', '-o', program, '.'], { cwd: toPath('go') });
    return [program];
  },
};

/** Npm packages, each in a process of its own. */
export const npmClients: readonly InstalledClient[] = [
  { name: 'npm eventsource', command: [process.execPath, toPath('npm-eventsource.ts')] },
  { name: 'npm eventsource-parser', command: [process.execPath, toPath('npm-eventsource-parser.ts')] },
];

/** Returns whether the tools that this client needs are on the path. */
export function isToolInstalled({ toolCheck: [program, ...options] }: ForeignClient): boolean {
  return spawnSync(program, options, { stdio: 'ignore' }).status === 0;
}
