import { InvalidCallError } from '@widget-service/client/requests/invalid-call-error.ts';
import { ProblemError } from '@widget-service/client/requests/problem-error.ts';
import { UnexpectedResponseError } from '@widget-service/client/requests/unexpected-response-error.ts';
import { UnreachableError } from '@widget-service/client/requests/unreachable-error.ts';
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
  if (error instanceof UsageError || error instanceof InvalidCallError) return exitCodes.usage;
  if (error instanceof StreamEndedError) return exitCodes.refused;
  if (error instanceof ProblemError) {
    if (error.code === 'not-authenticated') return exitCodes.notSignedIn;
    return error.isTemporary ? exitCodes.unavailable : exitCodes.refused;
  }
  return isUnreachable(error) ? exitCodes.unavailable : exitCodes.failed;
}

/** Whether the service itself has not answered. */
export function isUnreachable(error: unknown): error is Error {
  return error instanceof UnreachableError || error instanceof UnexpectedResponseError;
}
