import { ProblemError, UnreachableError } from '@widget-service/client/requests/failures.ts';
import { UsageError } from './exit-codes.ts';

/** Returns what a command prints when it fails: what has happened, and the next step where it is known. */
export function describeFailure(error: unknown): string[] {
  if (error instanceof UsageError) return [error.message, 'See: widgetctl --help'];
  if (error instanceof ProblemError) return describeProblem(error);
  const isService = error instanceof UnreachableError && !error.address.includes('/events/');
  return [describeCause(error), ...(isService ? ['Another address: --url or WIDGETCTL_URL'] : [])];
}

/** A wait before a request is sent again. */
export interface Wait {
  /** What has failed. */
  readonly error: unknown;
  readonly delayMs: number;
}

/** Says what a command waits for, and for how long. */
export function formatWait({ error, delayMs }: Wait): string {
  const cause = error instanceof ProblemError ? describeProblem(error)[0] : describeCause(error);
  return `${cause.replace(/\.$/, '')}. Trying again in ${formatSeconds(delayMs)}.`;
}

export function formatSeconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}

function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof UnreachableError)) return error.message;
  // Where the service is says more to a person than the path of an operation.
  return `The service at ${error.message.replace(error.address, new URL(error.address).origin)}`;
}

const signInStep = 'Sign in with: widgetctl login';

function describeProblem({ problem }: ProblemError): [string, ...string[]] {
  const { title, detail, code, requestId, errors = [] } = problem;
  const mistakes = errors.map((mistake) => `  ${mistake.pointer ?? mistake.parameter ?? ''}: ${mistake.detail}`);
  const step = code === 'not-authenticated' ? [signInStep] : [];
  return [`${title}: ${detail} (${code}, request ${requestId})`, ...mistakes, ...step];
}
