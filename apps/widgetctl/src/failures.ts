import { ProblemError, readFailureKind, UnreachableError } from '@widget-service/client/requests/failures.ts';

/** What the command returns to the shell. docs/widgetctl.md lists them. */
export const exitCodes = {
  done: 0,
  /** Something failed that none of the others describes. */
  failed: 1,
  /** The command line, a file or an address that it names is wrong: correct it. */
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

/** Returns the exit code for what a command has thrown. */
export function chooseExitCode(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof ProblemError && error.code === 'not-authenticated') return exitCodes.notSignedIn;
  const kind = readFailureKind(error);
  return kind === null ? exitCodes.failed : byKind[kind];
}

const byKind = { caller: exitCodes.usage, refusal: exitCodes.refused, outage: exitCodes.unavailable } as const;

/** For a user whose password an admin has set: until then, the service refuses everything else. */
export const passwordStep = 'Change your password first: widgetctl password';
const steps: Readonly<Record<string, string>> = {
  'not-authenticated': 'Sign in with: widgetctl login',
  'password-change-required': passwordStep,
};

/** Returns what a command prints when it fails: what has happened, and the next step where it is known. */
export function describeFailure(error: unknown): string[] {
  if (error instanceof UsageError) return [error.message, 'See: widgetctl --help'];
  if (error instanceof ProblemError) {
    const { code, errors = [] } = error.problem;
    const mistakes = errors.map((mistake) => `  ${mistake.pointer ?? mistake.parameter ?? ''}: ${mistake.detail}`);
    return [describeCause(error), ...mistakes, ...(steps[code] === undefined ? [] : [steps[code]])];
  }
  // The address of a hook or stream is an argument; that of the service may be the default.
  const isService = error instanceof UnreachableError && !error.address.includes('/events/');
  return [describeCause(error), ...(isService ? ['Another address: --url or WIDGETCTL_URL'] : [])];
}

/** Says why a command sends a request again, and after how long. */
export function formatWait({ error, delayMs }: { readonly error: unknown; readonly delayMs: number }): string {
  return `${describeCause(error).replace(/\.$/, '')}. Trying again in ${formatSeconds(delayMs)}.`;
}

export function formatSeconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}

function describeCause(error: unknown): string {
  if (error instanceof ProblemError) {
    const { title, detail, code, requestId } = error.problem;
    return `${title}: ${detail} (${code}, request ${requestId})`;
  }
  if (!(error instanceof UnreachableError)) return error instanceof Error ? error.message : String(error);
  // The message begins with the whole address. Its origin says enough.
  return `The service at ${error.message.replace(error.address, new URL(error.address).origin)}`;
}
