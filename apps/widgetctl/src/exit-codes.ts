import { ProblemError, readFailureKind } from '@widget-service/client/requests/failures.ts';

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
