import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { mainsWithFailpoints } from '../../faults/failpoints/failpoint.ts';
import { sharedCompileCache } from '../tools/compile-cache.ts';
import { hasOptions } from './component-options.ts';
import { imageVariable, launchContainer } from './launch-container.ts';

const ownRoot = fileURLToPath(new URL('../../../', import.meta.url));
/** The variable that names the folder for the output of every process. It helps with failures that do not recur. */
export const logFolderVariable = 'SCENARIO_LOG_FOLDER';
const mains = { api: 'apps/api/src/main.ts', worker: 'apps/worker/src/main.ts' } as const;

interface LogLine {
  readonly msg?: string;
  readonly [member: string]: unknown;
}

/** One process of the service, started as an operator starts it, on free ports. */
export interface ServiceProcess {
  readonly pid: number;
  /** The public interface, as `http://127.0.0.1:<port>`; empty for a worker. */
  readonly url: string;
  readonly opsUrl: string;
  /** The JSON lines of its log that have been read. A line may come later than the answer to a request: wait for it. */
  readonly lines: readonly LogLine[];
  /** Returns everything that it printed apart from JSON lines. */
  readonly output: () => string;
  /** Sends a signal (default: SIGTERM). Resolves when the process has ended: its exit code, or null after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves when the process has ended, for any reason: its exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>;
}

export type Environment = Readonly<Record<string, string>>;

/**
 * Starts an api or a worker. Resolves when it listens, and rejects with its output when it ends before that. The
 * process gets `environment`, the shared compile cache, and only PATH of this process's variables. `main` is relative
 * to the root of the repository; with options of components (`setOptions`), the default is a main file of the tests
 * that applies them. `root` is another checkout to run, with its own Node and without such options. Default: this one.
 */
export async function startService(
  app: 'api' | 'worker',
  environment: Environment,
  main?: string,
  root: string = ownRoot,
): Promise<ServiceProcess> {
  const { child, readPid, kill, toExitCode } = launch(app, { PORT: '0', OPS_PORT: '0', ...environment }, main, root);
  keepOutput(child, app);
  const lines: LogLine[] = [];
  const otherOutput: string[] = [];
  // 'close' comes after 'exit', when all output has been read.
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(toExitCode(code))));
  const listening = new Promise<LogLine>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = parseLine(text);
      if (line === null) otherOutput.push(text);
      else lines.push(line);
      if (line?.msg === 'listening') resolve(line);
    });
  });
  createInterface({ input: child.stderr }).on('line', (text) => otherOutput.push(text));
  const line = await Promise.race([listening, exited]);
  if (line === null || typeof line === 'number') {
    const logged = lines.map((logLine) => JSON.stringify(logLine)).join('\n');
    throw new Error(`${app} ended with ${line}: ${otherOutput.join('\n')}\n${logged}`);
  }
  return {
    pid: readPid(),
    url: toUrl(line.public),
    opsUrl: toUrl(line.ops),
    lines,
    output: () => otherOutput.join('\n'),
    stop: (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) kill(signal);
      return exited;
    },
    exited,
  };
}

/** Starts a process. With an image (`imageVariable`) it is a container, unless the test runs something of its own. */
function launch(app: 'api' | 'worker', environment: Environment, main: string | undefined, root: string) {
  const image = process.env[imageVariable];
  if (image !== undefined && main === undefined && root === ownRoot && !hasOptions(environment)) {
    return launchContainer(image, ['node', mains[app]], environment);
  }
  const node = root === ownRoot ? process.execPath : join(root, 'node_modules/.bin/node');
  const child = spawn(node, [main ?? (root === ownRoot ? chooseMain(app, environment) : mains[app])], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...sharedCompileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    child,
    readPid: () => child.pid ?? 0,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    toExitCode: (code: number | null) => code,
  };
}

/** Returns the app's own main file, or the one that applies the options of components in `environment`. */
export function chooseMain(app: 'api' | 'worker', environment: Environment): string {
  return (hasOptions(environment) ? mainsWithFailpoints : mains)[app];
}

function keepOutput(child: ChildProcessByStdio<null, Readable, Readable>, app: string): void {
  const folder = process.env[logFolderVariable];
  if (folder === undefined) return;
  const file = createWriteStream(join(folder, `${app}-${child.pid}.log`), { flags: 'a' });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
  child.once('close', () => file.end());
}

function parseLine(text: string): LogLine | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return null;
  }
}

function toUrl(address: unknown): string {
  if (typeof address !== 'object' || address === null) return '';
  return `http://127.0.0.1:${(address as { port: number }).port}`;
}

/** Returns the URL with the origin of this pod or load balancer. A token works on every pod. */
export function withOrigin(pod: Pick<ServiceProcess, 'url'>, url: string): string {
  const { pathname, search } = new URL(url);
  return `${pod.url}${pathname}${search}`;
}
