import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';
import { createTracingLogger, noMetrics } from './fakes.ts';

const outboxScanAgeMs = 5_000;

export interface RunningRole {
  readonly process: SimulatedProcess;
  /** Stops as after SIGTERM. */
  stop(): Promise<void>;
}

/** The worker's real tasks under their real supervisor. To be started in its process. */
export function startWorker(
  process: SimulatedProcess,
  ports: SimulatedPorts,
  trace: (text: string) => void,
): RunningRole {
  const logger = createTracingLogger((text) => trace(`${process.name}: ${text}`));
  const { clock } = process;
  const backend = ports as unknown as Backend;
  const tasks = createWorkerTasks({ backend, clock, logger, metrics: noMetrics, outboxScanAgeMs });
  const onFailure = (task: string, error: unknown) => trace(`${process.name}: ${task} failed: ${String(error)}`);
  const supervisor = new Supervisor(tasks, { clock, onFailure });
  supervisor.start();
  return { process, stop: () => supervisor.stop() };
}
