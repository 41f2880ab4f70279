/** The exit codes of every process of the service; 69 and 78 are EX_UNAVAILABLE and EX_CONFIG of BSD's sysexits. */
export const exitCodes = {
  /** After a drain. */
  ok: 0,
  unexpected: 1,
  /** MongoDB, or for a command Redis, could not be reached in time. */
  storeUnreachable: 69,
  /** A setting, or what it points to, is not as it must be. */
  configuration: 78,
} as const;

/** Ends the process with a code of its own; its message is for the operator and says what to do. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.exitCode = exitCode;
  }
}
