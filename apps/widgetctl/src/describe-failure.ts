import { ProblemError } from '@widget-service/client/requests/problem-error.ts';
import { isUnreachable, UsageError } from './exit-codes.ts';

/** Returns what a command prints when it fails: what has happened, and the next step where it is known. */
export function describeFailure(error: unknown, url: string): string[] {
  if (error instanceof UsageError) return [error.message, 'See: widgetctl --help'];
  if (error instanceof ProblemError) return describeProblem(error);
  if (isUnreachable(error)) {
    return [`The service at ${url} does not answer: ${error.message}`, 'Another address: --url or WIDGETCTL_URL'];
  }
  return [error instanceof Error ? error.message : String(error)];
}

const signInStep = 'Sign in with: widgetctl login';

function describeProblem({ problem }: ProblemError): string[] {
  const { title, detail, code, requestId, errors = [] } = problem;
  const mistakes = errors.map((mistake) => `  ${mistake.pointer ?? mistake.parameter ?? ''}: ${mistake.detail}`);
  const step = code === 'not-authenticated' ? [signInStep] : [];
  return [`${title}: ${detail} (${code}, request ${requestId})`, ...mistakes, ...step];
}
