import type { Metrics } from '../metrics/metrics.ts';
import {
  type ProcessState,
  type ProcessStates,
  processStateLimits,
  type StreamsBySubscription,
} from '../ports/process-states.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, Supervisor, type Task } from '../runtime/supervisor.ts';

/** Creates the supervisor of an api or worker process: it counts and logs every task that fails. */
export function createSupervisor(
  tasks: readonly Task[],
  clock: Clock,
  logger: Pick<Logger, 'error'>,
  metrics: Pick<Metrics, 'taskFailures'>,
): Supervisor {
  for (const { name } of tasks) metrics.taskFailures.inc({ task: name }, 0);
  return new Supervisor(tasks, clock, (task, err) => {
    metrics.taskFailures.inc({ task });
    logger.error({ task, err }, 'task.failed');
  });
}

/** Sets `widget_task_ready` for each task. */
export function recordTasks({ taskReady }: Pick<Metrics, 'taskReady'>, supervisor: Supervisor): void {
  for (const { name, reason } of supervisor.checks()) taskReady.set({ task: name }, reason === null ? 1 : 0);
}

/**
 * Creates the task that writes the state of this process every 5 s, and removes it when the process stops. It ignores a
 * failed write: the metric of store calls counts it, and other processes notice that the state is old.
 */
export function createProcessStateWriter(
  states: ProcessStates,
  clock: Clock,
  describe: () => Promise<ProcessState>,
  listStreams: () => StreamsBySubscription = () => new Map(),
): Task {
  let id: string | null = null;
  const options = { name: 'process-state', stores: [], everyMs: processStateLimits.writeEveryMs, clock };
  const task = createPeriodicTask({ ...options, onError: () => undefined }, async () => {
    const state = await describe();
    id = state.id;
    await states.write(state, listStreams());
  });
  return {
    ...task,
    run: async (signal) => {
      await task.run(signal);
      if (id !== null) await states.remove(id).catch(() => undefined);
    },
  };
}
