import { type ReadonlySignal, useSignal } from '@preact/signals';
import { showToast } from '../../parts/messages.tsx';
import { type Action, useAction } from '../../service/use-action.ts';
import { texts } from '../../texts/texts.ts';
import type { RedriveOutcome } from './redrive-outcome.ts';

export interface Redrive<Input extends readonly unknown[] = [eventIds: readonly string[]]> extends Action<Input> {
  /** `3 of 20` while it runs, else null. */
  readonly progress: ReadonlySignal<string | null>;
  /** What the last run has left unpublished, in words. Null: nothing, or no run has ended. */
  readonly failure: ReadonlySignal<string | null>;
}

type Redriver<Input extends readonly unknown[]> = (
  onProgress: (done: number, all: number) => void,
  ...input: Input
) => Promise<RedriveOutcome>;

/** A redrive that a person starts: it shows how far it is, and then what became of the deliveries. */
export function useRedriveOf<Input extends readonly unknown[]>(
  redrive: Redriver<Input>,
  onDone: () => Promise<unknown>,
): Redrive<Input> {
  const progress = useSignal<string | null>(null);
  const failure = useSignal<string | null>(null);
  const action = useAction(async (...input: Input) => {
    failure.value = null;
    try {
      const showProgress = (done: number, all: number) => {
        progress.value = texts.hooks.redriveProgress(done, all);
      };
      const outcome = await redrive(showProgress, ...input);
      const text = texts.hooks.describeRedrive(outcome);
      const { dead, waiting, failed, gone } = outcome;
      if (dead + waiting + failed + gone === 0) showToast(text);
      else failure.value = text;
    } finally {
      progress.value = null;
      await onDone();
    }
  });
  return { ...action, progress, failure };
}
