import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
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
  const userId = useMemo(() => session.value?.user.id ?? '', []);
  const kept = useMemo(() => drafts.read(userId, name), []);
  const values = useSignal<Values>(kept === null ? initial : { ...initial, ...kept });
  useEffect(() => {
    // The session may have ended since the last key: then nothing must be kept any more.
    if (values.value !== initial && session.value?.user.id === userId) drafts.write(userId, name, values.value);
  }, [values.value]);
  const clear = () => {
    drafts.remove(userId, name);
    values.value = initial;
  };
  return { values, clear };
}
