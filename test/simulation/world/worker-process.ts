import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';
import { createTracingLogger, noMetrics } from './fakes.ts';

export interface RunningProcess {
  readonly process: SimulatedProcess;
  /** Stops like after SIGTERM. */
  stop(): Promise<void>;
}

/** The real tasks of a worker under the real supervisor. Call it inside `process`. */
export function startWorker(
  process: SimulatedProcess,
  ports: SimulatedPorts,
  trace: (text: string) => void,
): RunningProcess {
  const logger = createTracingLogger((text) => trace(`${process.name}: ${text}`));
  const { clock } = process;
  const backend = ports as unknown as Backend;
  const tasks = createWorkerTasks({ backend, clock, logger, metrics: noMetrics });
  const onFailure = (task: string, error: unknown) => trace(`${process.name}: ${task} failed: ${String(error)}`);
  const supervisor = new Supervisor(tasks, { clock, onFailure });
  supervisor.start();
  return { process, stop: () => supervisor.stop() };
}
