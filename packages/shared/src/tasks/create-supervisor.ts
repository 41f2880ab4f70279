import type { Metrics } from '../metrics/metrics.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { Supervisor, type Task } from '../runtime/supervisor.ts';

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
