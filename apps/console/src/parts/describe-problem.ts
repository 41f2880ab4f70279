import {
  InvalidCallError,
  ProblemError,
  readFailureKind,
  UnreachableError,
} from '@widget-service/client/requests/failures.ts';
import { UnexpectedResponseError } from '@widget-service/client/requests/unexpected-response-error.ts';
import { texts } from '../texts/texts.ts';
import { isAt, nameMember, readMistakes } from './field-mistakes.ts';

interface ProblemText {
  readonly title: string;
  /** Empty if the title says everything. */
  readonly detail: string;
  /** Null if the service has not answered. */
  readonly requestId: string | null;
}

/** Says why something failed. `pointers` are the members whose fields show their own mistakes: `/email`. */
export function describeProblem(error: unknown, pointers: readonly string[] = []): ProblemText {
  const { problems } = texts;
  if (error instanceof ProblemError) return describeRefusal(error, pointers);
  if (error instanceof UnexpectedResponseError) {
    return { title: problems.unexpectedTitle, detail: error.message, requestId: null };
  }
  if (error instanceof InvalidCallError) {
    return { title: problems.invalidTitle, detail: error.message, requestId: null };
  }
  if (error instanceof UnreachableError || readFailureKind(error) === 'outage') {
    return { title: problems.unreachableTitle, detail: problems.unreachable, requestId: null };
  }
  // Nothing that the service or the network did.
  return { title: problems.failedTitle, detail: String(error), requestId: null };
}

function describeRefusal(error: ProblemError, pointers: readonly string[]): ProblemText {
  const { title, detail, requestId } = error.problem;
  const mistakes = readMistakes(error);
  if (mistakes.length === 0) return { title, detail, requestId };
  const shown = pointers.filter((pointer) => mistakes.some((mistake) => isAt(mistake, pointer)));
  const others = mistakes.filter((mistake) => !shown.some((pointer) => isAt(mistake, pointer)));
  const sentences = others.map((mistake) => [nameMember(mistake), mistake.detail].filter((part) => part !== ''));
  return {
    title: shown.length === 0 ? title : texts.problems.needAttention(shown.length),
    detail: sentences.map((parts) => parts.join(': ')).join(' '),
    requestId,
  };
}
