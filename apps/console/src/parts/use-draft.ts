import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const prefix = 'console-draft:';

/**
 * Values of a form that survive a reload, and a session that ends while somebody types. They stay in this tab, and never
 * hold a secret. `clear` after the form was sent.
 */
export function useDraft<Values extends object>(
  name: string,
  initial: Values,
): { values: Signal<Values>; clear: () => void } {
  const values = useSignal<Values>(readDraft(name, initial));
  useEffect(() => {
    if (values.value !== initial) sessionStorage.setItem(prefix + name, JSON.stringify(values.value));
  }, [values.value]);
  const clear = () => {
    sessionStorage.removeItem(prefix + name);
    values.value = initial;
  };
  return { values, clear };
}

function readDraft<Values extends object>(name: string, initial: Values): Values {
  try {
    const kept = sessionStorage.getItem(prefix + name);
    return kept === null ? initial : { ...initial, ...(JSON.parse(kept) as Partial<Values>) };
  } catch {
    return initial;
  }
}

/** Forgets all drafts: the next person at this machine must not see them. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}
