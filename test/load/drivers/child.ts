import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * A process that carries out commands of the benchmark: a load generator or a yard-stick. It is a process of its own,
 * so that its work does not count as the work of the service.
 */
export interface Child<Commands extends CommandTable> {
  readonly pid: number;
  /** Runs one command in the process. Rejects if the command throws or the process ends. */
  call<Name extends keyof Commands & string>(name: Name, options: Commands[Name][0]): Promise<Commands[Name][1]>;
  stop(): Promise<void>;
}

/** For each command: the type of its options and of its result. Both must survive JSON. */
export type CommandTable = Record<string, [options: unknown, result: unknown]>;

type Answer = { readonly result: unknown } | { readonly error: string };

/** Starts the module `file`, which must call `serveCommands`. Commands run one at a time. */
export async function startChild<Commands extends CommandTable>(
  file: URL,
  options: { readonly execArgv?: string[] } = {},
): Promise<Child<Commands>> {
  const child = fork(file, { execArgv: options.execArgv ?? [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await receive(child);
  return {
    pid: child.pid ?? 0,
    call: async (name, commandOptions) => {
      const answer = receive(child);
      child.send({ name, options: commandOptions });
      const value = await answer;
      if ('error' in value) throw new Error(`${name}: ${value.error}`);
      return value.result as never;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

function receive(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as Answer);
    };
    const onExit = (code: number | null) => {
      child.off('message', onMessage);
      reject(new Error(`${child.spawnfile} ended with ${code}`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

/** The other end of `startChild`: carries out each command that the benchmark sends. */
export function serveCommands<Commands extends CommandTable>(
  commands: {
    readonly [Name in keyof Commands]: (options: Commands[Name][0]) => Promise<Commands[Name][1]>;
  },
): void {
  const table: Readonly<Record<string, ((options: never) => Promise<unknown>) | undefined>> = commands;
  process.on('message', async ({ name, options }: { name: string; options: never }) => {
    try {
      const command = table[name];
      if (command === undefined) throw new Error('unknown command');
      process.send?.({ result: await command(options) } satisfies Answer);
    } catch (error) {
      process.send?.({
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      } satisfies Answer);
    }
  });
  process.send?.({ result: 'ready' } satisfies Answer);
}
