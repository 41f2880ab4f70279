import { type Signal, signal } from '@preact/signals';
import { sessionState } from '../session/session.ts';

/**
 * Makes a place for secrets that a person has not saved yet. They are only in memory, never in the address, the history
 * or a storage, and they are gone when the session ends: the next person at this machine must not see them.
 */
export function holdSecrets<Held>(): Signal<Held | null> {
  const held = signal<Held | null>(null);
  sessionState.subscribe(({ kind }) => {
    if (kind !== 'signed-in') held.value = null;
  });
  return held;
}
