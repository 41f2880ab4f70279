import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { drafts } from '../session/drafts.ts';
import { session } from '../session/session.ts';

/**
 * Values of a form that survive a reload. They stay in this tab, end with the session, and never hold a secret. `clear`
 * after the form was sent.
 */
export function useDraft<Values extends object>(
  name: string,
  initial: Values,
): { values: Signal<Values>; clear: () => void } {
  const userId = useMemo(() => session.peek()?.user.id ?? '', []);
  const empty = useMemo(() => initial, []);
  const kept = useMemo(() => drafts.read(userId, name), []);
  const values = useSignal<Values>(kept === null ? empty : { ...empty, ...kept });
  // At once, not after the next paint: a reload may come before.
  useSignalEffect(() => {
    const typed = values.value;
    // The session may have ended since the last key: then nothing must be kept any more.
    if (typed !== empty && session.peek()?.user.id === userId) drafts.write(userId, name, typed);
  });
  const clear = () => {
    drafts.remove(userId, name);
    values.value = empty;
  };
  return { values, clear };
}
