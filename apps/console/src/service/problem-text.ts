import { InvalidCallError } from '@widget-service/client/requests/invalid-call-error.ts';
import { ProblemError } from '@widget-service/client/requests/problem-error.ts';
import { UnexpectedResponseError } from '@widget-service/client/requests/unexpected-response-error.ts';
import { texts } from '../texts/texts.ts';

export interface ProblemText {
  readonly title: string;
  readonly detail: string;
  /** To quote when asking for help. Null if the service has not answered. */
  readonly requestId: string | null;
}

/** Says in words why a request failed. */
export function describeProblem(error: unknown): ProblemText {
  if (error instanceof ProblemError) {
    const { title, detail, requestId, errors = [] } = error.problem;
    const mistakes = errors.map((mistake) => mistake.detail).join(' ');
    return { title, detail: mistakes === '' ? detail : `${detail} ${mistakes}`, requestId };
  }
  if (error instanceof UnexpectedResponseError) {
    return { title: texts.problems.unexpectedTitle, detail: error.message, requestId: null };
  }
  if (error instanceof InvalidCallError) {
    return { title: texts.problems.invalidTitle, detail: error.message, requestId: null };
  }
  return { title: texts.problems.unreachableTitle, detail: texts.problems.unreachable, requestId: null };
}
