import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from 'widgetctl/commands.ts';
import { sharedCompileCache } from './compile-cache.ts';

/** The sources of the program. */
export const widgetctlSource = fileURLToPath(new URL('../../../apps/widgetctl/src/main.ts', import.meta.url));

export interface FinishedCommand {
  /** Null if a signal ended it. */
  readonly code: number | null;
  /** The standard output. */
  readonly results: string;
  /** The standard error. */
  readonly notes: string;
}

export interface RunningCommand {
  readonly pid: number | undefined;
  readonly finished: Promise<FinishedCommand>;
  /** Everything on the standard output so far. */
  results(): string;
  /** Everything on the standard error so far. */
  notes(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface WidgetctlOptions {
  /** The folder for the sessions. */
  readonly folder: string;
  readonly url: string;
  /** The program, and the Node that runs it. Default: the sources, on this Node. */
  readonly program?: string;
  readonly node?: string;
  /** What Node gets before the program. */
  readonly nodeArguments?: readonly string[];
  /** Where it runs. Default: where the test does. */
  readonly workingFolder?: string;
}

/** The command-line tool: `run` runs a command in this process, `start` in a process that can be ended. */
export class Widgetctl {
  readonly #options: WidgetctlOptions;

  constructor(options: WidgetctlOptions) {
    this.#options = options;
  }

  /** Runs a command in a process of its own, as a person does. */
  start(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    input: string | Buffer = '',
  ): RunningCommand {
    const {
      folder,
      url,
      program = widgetctlSource,
      node = process.execPath,
      nodeArguments = [],
      workingFolder,
    } = this.#options;
    const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(node, [...nodeArguments, program, ...args], {
      env: {
        PATH: process.env.PATH,
        ...sharedCompileCache,
        XDG_CONFIG_HOME: folder,
        WIDGETCTL_URL: url,
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(workingFolder === undefined ? {} : { cwd: workingFolder }),
    });
    // A command that does not read it may have ended before.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const printed = { results: '', notes: '' };
    child.stdout.on('data', (chunk) => {
      printed.results += chunk;
    });
    child.stderr.on('data', (chunk) => {
      printed.notes += chunk;
    });
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    const finished = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(([code, results, notes]) => ({
      code,
      results,
      notes,
    }));
    return {
      pid: child.pid,
      finished,
      results: () => printed.results,
      notes: () => printed.notes,
      kill: (signal) => child.kill(signal),
    };
  }

  /** Runs a command in this process, or with the `program` of the options if there is one. */
  async run(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    input: string | Buffer = '',
  ): Promise<FinishedCommand> {
    const { folder, url, program } = this.#options;
    if (program !== undefined) return this.start(args, environment, input).finished;
    const printed = { results: '', notes: '' };
    const collect = (name: keyof typeof printed) => ({
      write: (part: string, onWritten?: () => void) => {
        printed[name] += part;
        onWritten?.();
      },
    });
    const code = await runCommandLine(args, {
      environment: { XDG_CONFIG_HOME: folder, WIDGETCTL_URL: url, ...environment },
      stdin: () => Readable.from([Buffer.from(input)]),
      stdout: collect('results'),
      stderr: collect('notes'),
      findHome: () => environment.HOME ?? homedir(),
    });
    return { code, ...printed };
  }

  /** Runs a command with `--json`. Resolves with its results, or rejects with what it printed if it fails. */
  async read<Result>(...args: string[]): Promise<Result[]> {
    const { code, results, notes } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`widgetctl ${args.join(' ')} ended with ${code}: ${notes}`);
    return results
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Result);
  }
}
