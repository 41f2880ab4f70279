import { ProblemError } from '@widget-service/client/requests/failures.ts';
import { createContext } from 'preact';

/** What the service says about one member of a request. */
interface Mistake {
  /** A JSON pointer into the body as a URI fragment: `#/filter/widgetIds/0`. */
  readonly pointer?: string;
  readonly code: string;
  readonly detail: string;
}

/** The mistakes of the form around a field. */
export const FieldMistakes = createContext<readonly Mistake[]>([]);

/** Returns the mistakes that a refusal names. Empty for every other error. */
export function readMistakes(error: unknown): readonly Mistake[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

/** Whether the mistake is in the member, or within it. `pointer` is without the `#`: `/filter/widgetIds`. */
export function isAt(mistake: Pick<Mistake, 'pointer'>, pointer: string): boolean {
  return mistake.pointer === `#${pointer}` || mistake.pointer?.startsWith(`#${pointer}/`) === true;
}

/**
 * Returns what is wrong with a field, or null. The service says of a wrong form only that it is wrong: `wrongForm` says
 * what it must be.
 */
export function describeMistake(mistakes: readonly Mistake[], pointer: string, wrongForm?: string): string | null {
  const found = mistakes.filter((mistake) => isAt(mistake, pointer));
  const texts = new Set(found.map(({ code, detail }) => (code === 'format' ? (wrongForm ?? detail) : detail)));
  return texts.size === 0 ? null : [...texts].join(' ');
}

/** Returns the name of a member for people: `filter.widgetIds.0`. Empty without a pointer. */
export function nameMember({ pointer = '' }: Pick<Mistake, 'pointer'>): string {
  return pointer.split('/').slice(1).map(decodeToken).join('.');
}

function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token;
  }
}
