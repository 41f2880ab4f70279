import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';

export interface Action<Input extends readonly unknown[]> {
  readonly isRunning: ReadonlySignal<boolean>;
  /** Why the last run failed, or null. */
  readonly error: ReadonlySignal<unknown>;
  /** Resolves with true after a success. Does nothing while a run is in progress. */
  readonly run: (...input: Input) => Promise<boolean>;
  readonly clearError: () => void;
}

/** Something that a person starts: it runs once at a time, and its failure is shown beside the button. */
export function useAction<Input extends readonly unknown[]>(act: (...input: Input) => Promise<unknown>): Action<Input> {
  const isRunning = useSignal(false);
  const error = useSignal<unknown>(null);
  const latestAct = useRef(act);
  latestAct.current = act;
  const run = async (...input: Input): Promise<boolean> => {
    if (isRunning.peek()) return false;
    isRunning.value = true;
    error.value = null;
    try {
      await latestAct.current(...input);
      return true;
    } catch (reason) {
      error.value = reason;
      return false;
    } finally {
      isRunning.value = false;
    }
  };
  const clearError = () => {
    error.value = null;
  };
  return { isRunning, error, run, clearError };
}
