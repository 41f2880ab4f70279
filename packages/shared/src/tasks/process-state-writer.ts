import {
  type ProcessState,
  type ProcessStates,
  processStateLimits,
  type StreamsBySubscription,
} from '../ports/process-states.ts';
import type { Clock } from '../runtime/clock.ts';
import { createPeriodicTask, type Task } from '../runtime/supervisor.ts';

/**
 * Creates the task that writes the state of this process every 5 s, and removes it when the process stops. A failed
 * write is counted by the metric of the call; the other processes see that the state grows old.
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
