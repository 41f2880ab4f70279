import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Names the folder to which every process writes all it prints, for a failure that does not come again. */
export const logFolderVariable = 'SCENARIO_LOG_FOLDER';
const mains = { api: 'apps/api/src/main.ts', worker: 'apps/worker/src/main.ts' } as const;

interface LogLine {
  readonly msg?: string;
  readonly [member: string]: unknown;
}

/** One process of the service, started as an operator would, on free ports. */
export interface ServiceProcess {
  readonly pid: number;
  /** `http://127.0.0.1:<port>` of the public interface; empty for a worker. */
  readonly url: string;
  readonly opsUrl: string;
  /** Every JSON line it has logged. */
  readonly lines: readonly LogLine[];
  /** Everything it has printed that is not a JSON line. */
  readonly output: () => string;
  /** Sends a signal and resolves with the exit code once the process has ended; null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the exit code once the process has ended, whatever ended it; null when a signal did. */
  readonly exited: Promise<number | null>;
}

export type Environment = Readonly<Record<string, string>>;

/**
 * Starts an api or worker and resolves once it listens. Its environment is `environment` and nothing of ours but PATH.
 * `main` is the file that is run, from the root of the repository.
 */
export async function startService(
  app: 'api' | 'worker',
  environment: Environment,
  main: string = mains[app],
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [main], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PORT: '0', OPS_PORT: '0', LOG_FORMAT: 'json', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  keepOutput(child, app);
  const lines: LogLine[] = [];
  const rest: string[] = [];
  // 'close' and not 'exit': by then everything it has printed was read.
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const listening = new Promise<LogLine>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = parseLine(text);
      if (line === null) rest.push(text);
      else lines.push(line);
      if (line?.msg === 'listening') resolve(line);
    });
  });
  createInterface({ input: child.stderr }).on('line', (text) => rest.push(text));
  const line = await Promise.race([listening, exited]);
  if (line === null || typeof line === 'number') {
    throw new Error(
      `${app} ended with ${line}: ${rest.join('\n')}\n${lines.map((each) => JSON.stringify(each)).join('\n')}`,
    );
  }
  return {
    pid: child.pid ?? 0,
    url: urlOf(line.public),
    opsUrl: urlOf(line.ops),
    lines,
    output: () => rest.join('\n'),
    stop: (signal = 'SIGTERM') => stopChild(child, exited, signal),
    exited,
  };
}

function keepOutput(child: ChildProcessByStdio<null, Readable, Readable>, app: string): void {
  const folder = process.env[logFolderVariable];
  if (folder === undefined) return;
  const file = createWriteStream(join(folder, `${app}-${child.pid}.log`), { flags: 'a' });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
  child.once('close', () => file.end());
}

function stopChild(
  child: ChildProcess,
  exited: Promise<number | null>,
  signal: NodeJS.Signals,
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  return exited;
}

function parseLine(text: string): LogLine | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return null;
  }
}

function urlOf(address: unknown): string {
  if (typeof address !== 'object' || address === null) return '';
  return `http://127.0.0.1:${(address as { port: number }).port}`;
}

/** The same address on another pod: any token works on any pod. */
export function onPod(pod: Pick<ServiceProcess, 'url'>, url: string): string {
  const { pathname, search } = new URL(url);
  return `${pod.url}${pathname}${search}`;
}
