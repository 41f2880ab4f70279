import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { drafts } from '../session/drafts.ts';
import { session } from '../session/session.ts';

/**
 * Values of a form. The members that `kept` names survive a reload: they stay in this tab and end with the session. Do
 * not name one that may hold a secret, or what somebody pastes from elsewhere. `clear` after the form was sent.
 */
export function useDraft<Values extends object>(
  name: string,
  initial: Values,
  kept: readonly (keyof Values & string)[],
): { values: Signal<Values>; clear: () => void } {
  const userId = useMemo(() => session.peek()?.user.id ?? '', []);
  const empty = useMemo(() => initial, []);
  const draft = useMemo(() => drafts.read(userId, name, kept), []);
  const values = useSignal<Values>({ ...empty, ...draft });
  // At once, not after the next paint: a reload may come before.
  useSignalEffect(() => {
    const typed = values.value;
    // The session may have ended since the last key: then nothing must be kept any more.
    if (typed !== empty && session.peek()?.user.id === userId) drafts.write(userId, name, typed, kept);
  });
  const clear = () => {
    drafts.remove(userId, name);
    values.value = empty;
  };
  return { values, clear };
}
