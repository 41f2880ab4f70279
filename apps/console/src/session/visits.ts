import { effect, signal } from '@preact/signals';
import { keptVisits } from './kept-visits.ts';
import { session } from './session.ts';

export interface Visit {
  /** A path of the console: `/widgets/0190…`. */
  readonly path: string;
  readonly title: string;
}

/**
 * The things that were looked at, the last one first. Only in memory, and gone when the session ends: the next person
 * at this machine must not see them.
 */
export const visits = signal<readonly Visit[]>([]);

/** The page of one thing: a widget, an integration, a stream. */
const placePattern = /^\/(?:widgets|hooks|streams)\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Notes that the page of a thing is shown. Other pages are not noted. */
export function noteVisit(path: string, title: string): void {
  // Until the thing is read, its page has the id as its title.
  if (!placePattern.test(path) || path.endsWith(`/${title}`)) return;
  const others = visits.peek().filter((visit) => visit.path !== path);
  visits.value = [{ path, title }, ...others].slice(0, keptVisits);
}

/** Forgets the visits whenever another person, or nobody, is signed in. */
export function followVisits(): void {
  let userId: string | undefined;
  effect(() => {
    if (session.value?.user.id === userId) return;
    userId = session.value?.user.id;
    visits.value = [];
  });
}
