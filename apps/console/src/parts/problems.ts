import {
  InvalidCallError,
  ProblemError,
  readFailureKind,
  UnexpectedResponseError,
  UnreachableError,
} from '@widget-service/client/requests/failures.ts';
import { createContext } from 'preact';
import { formatCountOf } from './format.ts';
import { decodeText } from './text.ts';

/** What the service says about one member of a request. The `pointer` is a URI fragment: `#/filter/widgetIds/0`. */
type Mistake = Pick<NonNullable<ProblemError['problem']['errors']>[number], 'pointer' | 'code' | 'detail'>;

/** The mistakes of the form around a field. */
export const FieldMistakes = createContext<readonly Mistake[]>([]);

/** Returns the mistakes that a refusal names. Empty for every other error. */
export function readMistakes(error: unknown): readonly Mistake[] {
  return error instanceof ProblemError ? (error.problem.errors ?? []) : [];
}

/** Whether the mistake is in the member, or within it. `pointer` is without the `#`: `/filter/widgetIds`. */
function isAt(mistake: Pick<Mistake, 'pointer'>, pointer: string): boolean {
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
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => decodeText(token).replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

/** Says what is wrong with each member: `payload: Must be an object.` */
export function describeMistakes(mistakes: readonly Omit<Mistake, 'code'>[]): string {
  const parts = mistakes.map((mistake) => [nameMember(mistake), mistake.detail].filter((part) => part !== ''));
  return parts.map((texts) => texts.join(': ')).join(' ');
}

interface ProblemText {
  readonly title: string;
  /** Empty if the title says everything. */
  readonly detail: string;
  /** Null if the service has not answered. */
  readonly requestId: string | null;
}

const unreachableText = 'The network or the service is down. Your input is kept.';

/** Says why something failed. `pointers` are the members whose fields show their own mistakes: `/email`. */
export function describeProblem(error: unknown, pointers: readonly string[] = []): ProblemText {
  if (error instanceof ProblemError) return describeRefusal(error, pointers);
  if (error instanceof UnexpectedResponseError) {
    return { title: 'Unexpected answer, probably from a proxy', detail: error.message, requestId: null };
  }
  if (error instanceof InvalidCallError) {
    return { title: "This can't be sent", detail: error.message, requestId: null };
  }
  if (error instanceof UnreachableError || readFailureKind(error) === 'outage') {
    return { title: "Can't reach the service", detail: unreachableText, requestId: null };
  }
  // Nothing that the service or the network did.
  return { title: 'The console has failed', detail: String(error), requestId: null };
}

function describeRefusal(error: ProblemError, pointers: readonly string[]): ProblemText {
  const { title, detail, requestId } = error.problem;
  const mistakes = readMistakes(error);
  if (mistakes.length === 0) return { title, detail, requestId };
  const shown = pointers.filter((pointer) => mistakes.some((mistake) => isAt(mistake, pointer)));
  const others = mistakes.filter((mistake) => !shown.some((pointer) => isAt(mistake, pointer)));
  return {
    title: shown.length === 0 ? title : `${formatCountOf(shown.length, 'field needs', 'fields need')} attention`,
    detail: describeMistakes(others),
    requestId,
  };
}

/** Says how many items are missing in an answer of the service because their stored rows are damaged. Null: none. */
export function describeUnreadable(data: unknown): string | null {
  const { unreadableItems: count = 0 } = (data ?? {}) as { readonly unreadableItems?: number };
  if (count === 0) return null;
  return `${formatCountOf(count, 'item')} could not be read, and ${count === 1 ? 'is' : 'are'} missing here: what is stored is damaged.`;
}
