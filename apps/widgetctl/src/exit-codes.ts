import { ProblemError } from '@widget-service/client/requests/problem-error.ts';
import { StreamEndedError } from '@widget-service/client/stream/stream-ended-error.ts';

/** What the command returns to the shell. docs/widgetctl.md lists them. */
export const exitCodes = {
  done: 0,
  /** Something failed that none of the others describes. */
  failed: 1,
  /** The command line is wrong. Nothing was sent. */
  usage: 2,
  /** There is no session, or it has ended. */
  notSignedIn: 3,
  /** The service refuses the request for good: the same command would be refused again. */
  refused: 4,
  /** The service did not answer, or asks to come back later. The same command may succeed later. */
  unavailable: 5,
  /** Ended by Ctrl-C: 128 and the number of the signal, as shells do it. */
  interrupted: 130,
} as const;

/** The command line is wrong. */
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
  if (error instanceof StreamEndedError) return exitCodes.refused;
  if (error instanceof ProblemError) {
    if (error.code === 'not-authenticated') return exitCodes.notSignedIn;
    return error.isTemporary ? exitCodes.unavailable : exitCodes.refused;
  }
  return isUnreachable(error) ? exitCodes.unavailable : exitCodes.failed;
}

/** Whether `fetch` got no response. It throws a TypeError with a cause then, and a TimeoutError after the time-out. */
export function isUnreachable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || error.name === 'UnexpectedResponseError' || isFailedFetch(error);
}

function isFailedFetch(error: Error): boolean {
  return error instanceof TypeError && error.cause !== undefined;
}
