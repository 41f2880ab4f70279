import type { Environment, ServiceProcess } from '../drivers/cluster/service-process.ts';

/** One pod or worker of a deployment. A scenario can kill its process and start a new one on the same ports. */
export interface ServiceSlot {
  readonly name: string;
  /** The current process, or the last one if none runs. Throws before the first start. */
  readonly process: ServiceProcess;
  /** Every process so far, oldest first. */
  readonly processes: readonly ServiceProcess[];
  readonly isRunning: boolean;
  /** Starts a new process, of the checkout `root` if given. Resolves when it listens. */
  start(extra?: Environment, root?: string): Promise<void>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Stops the process (SIGSTOP) until `thaw`, like a long garbage collection or a blocked event loop. */
  freeze(): void;
  thaw(): void;
}

export function createServiceSlot(
  name: string,
  startProcess: (extra?: Environment, root?: string) => Promise<ServiceProcess>,
): ServiceSlot {
  const processes: ServiceProcess[] = [];
  let isRunning = false;
  const getCurrent = () => {
    const last = processes.at(-1);
    if (last === undefined) throw new Error(`${name} was never started`);
    return last;
  };
  const end = async (signal: NodeJS.Signals) => {
    const code = await getCurrent().stop(signal);
    isRunning = false;
    return code;
  };
  return {
    name,
    processes,
    get process() {
      return getCurrent();
    },
    get isRunning() {
      return isRunning;
    },
    start: async (extra, root) => {
      processes.push(await startProcess(extra, root));
      isRunning = true;
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    freeze: () => void process.kill(getCurrent().pid, 'SIGSTOP'),
    thaw: () => void process.kill(getCurrent().pid, 'SIGCONT'),
  };
}
