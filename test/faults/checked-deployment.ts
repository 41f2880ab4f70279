import type { FaultCluster } from './fault-cluster.ts';
import { areAllReady, createProcessReader, type ProcessReadings } from './process-metrics.ts';
import type { ReadStoredState } from './stored-state.ts';

/** What checkpoints read of a deployment, wherever it runs. */
export interface CheckedDeployment {
  /** Counts the waiting and started jobs of the hook queue. */
  countJobs(): Promise<number>;
  /** Counts the widgets whose outbox is not empty. */
  countOutboxes(): Promise<number>;
  readonly readStored: ReadStoredState;
  /** Whether every running process is ready. */
  areAllReady(): Promise<boolean>;
  readProcesses(): Promise<ProcessReadings>;
  /** Returns what all processes have logged and printed since the last call, by place. */
  readNewLogs(): Promise<Readonly<Record<string, string>>>;
  /** Returns everything that the stores hold or ever wrote, as text, by place. */
  dumpStores(): Promise<Readonly<Record<string, string>>>;
}

/** Reads a deployment of processes on this machine. */
export function checkFaultCluster(cluster: FaultCluster): CheckedDeployment {
  const { run, readStored, redis, eventsRedis } = cluster;
  return {
    ...{ countJobs: run.countJobs, countOutboxes: run.countOutboxes, readStored },
    areAllReady: () => areAllReady(cluster),
    readProcesses: createProcessReader(cluster),
    readNewLogs: createLogReader(cluster),
    dumpStores: async () => {
      const files = await Promise.all([...new Set([redis, eventsRedis])].map((each) => each.readAppendOnlyFiles()));
      return { database: await run.dumpDatabase(), 'everything ever written to Redis': files.join('') };
    },
  };
}

function createLogReader({ pods, workers }: Pick<FaultCluster, 'pods' | 'workers'>) {
  const takeNew = makeTakeNew();
  return async () => {
    const processes = [...pods, ...workers].flatMap((slot) => slot.processes);
    return {
      logs: processes.map(({ lines }) => JSON.stringify(takeNew(lines))).join('\n'),
      output: processes.map(({ output }) => output()).join('\n'),
    };
  };
}

/** Makes a function that returns the items which a growing list has got since the last call with that list. */
export function makeTakeNew() {
  const counts = new Map<object, number>();
  return <Item>(items: readonly Item[]): Item[] => {
    const newItems = items.slice(counts.get(items));
    counts.set(items, items.length);
    return newItems;
  };
}
