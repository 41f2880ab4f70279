import { ProblemError, readFailureKind, UnreachableError } from '@widget-service/client/requests/failures.ts';

/** What the command returns to the shell. docs/widgetctl.md lists them. */
export const exitCodes = {
  done: 0,
  /** Something failed that none of the others describes. */
  failed: 1,
  /** The command line, a file or an address that it names is wrong. Nothing else than a mended one can succeed. */
  usage: 2,
  /** There is no session, or it has ended. */
  notSignedIn: 3,
  /** The service refuses the request for good: the same command would be refused again. */
  refused: 4,
  /** The service did not answer, or asks to come back later. The same command may succeed later. */
  unavailable: 5,
} as const;

/** The command line, or a file that it names, is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Some of many things failed. Each failure was reported when it happened. */
export class PartlyFailedError extends Error {
  override readonly name = 'PartlyFailedError';
}

/** Returns the exit code for what a command has thrown. */
export function chooseExitCode(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof ProblemError && error.code === 'not-authenticated') return exitCodes.notSignedIn;
  const kind = readFailureKind(error);
  return kind === null ? exitCodes.failed : byKind[kind];
}

const byKind = { caller: exitCodes.usage, refusal: exitCodes.refused, outage: exitCodes.unavailable } as const;

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
/** For a user whose password an admin has set: until then, the service refuses everything else. */
export const passwordStep = 'Change your password first: widgetctl password';

function describeProblem({ problem }: ProblemError): [string, ...string[]] {
  const { title, detail, code, requestId, errors = [] } = problem;
  const mistakes = errors.map((mistake) => `  ${mistake.pointer ?? mistake.parameter ?? ''}: ${mistake.detail}`);
  const steps: Readonly<Record<string, string>> = {
    'not-authenticated': signInStep,
    'password-change-required': passwordStep,
  };
  const step = steps[code] ?? [];
  return [`${title}: ${detail} (${code}, request ${requestId})`, ...mistakes].concat(step) as [string, ...string[]];
}
