import type { Environment, ServiceProcess } from '../drivers/service-process.ts';

/** The place of one process of the service: it may be killed and started again, at the same ports. */
export interface ServiceSlot {
  readonly name: string;
  /** The one that runs, or ran last. Throws before the first start. */
  readonly process: ServiceProcess;
  /** Every process there ever was here. */
  readonly all: readonly ServiceProcess[];
  readonly isRunning: boolean;
  /** Resolves once it listens. */
  start(extra?: Environment): Promise<void>;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
  /** Asks it to stop; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Stops it in its tracks (SIGSTOP), as a long garbage collection or a blocked event loop would; until `thaw`. */
  freeze(): void;
  thaw(): void;
}

export function createServiceSlot(
  name: string,
  startProcess: (extra?: Environment) => Promise<ServiceProcess>,
): ServiceSlot {
  const all: ServiceProcess[] = [];
  let isRunning = false;
  const current = () => {
    const last = all.at(-1);
    if (last === undefined) throw new Error(`${name} was never started`);
    return last;
  };
  const end = async (signal: NodeJS.Signals) => {
    const code = await current().stop(signal);
    isRunning = false;
    return code;
  };
  return {
    name,
    all,
    get process() {
      return current();
    },
    get isRunning() {
      return isRunning;
    },
    start: async (extra) => {
      all.push(await startProcess(extra));
      isRunning = true;
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    freeze: () => void process.kill(current().pid, 'SIGSTOP'),
    thaw: () => void process.kill(current().pid, 'SIGCONT'),
  };
}
