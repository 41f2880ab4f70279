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

/** What the system says of an address that cannot be listened on, in words. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'needs rights that this process does not have',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not a name that can be resolved',
};

/** Where a process was to listen, and which settings say so. */
export interface ListenAddress {
  readonly settings: string;
  readonly host: string;
  readonly port: number;
}

/** An address that cannot be had as the operator must hear of it: by the settings that name it. Others as they are. */
export function explainListenFailure(error: unknown, { settings, host, port }: ListenAddress): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code];
  if (reason === undefined) return error;
  return new ExitError(exitCodes.configuration, `${settings}: ${host}:${port} ${reason}`, { cause: error });
}
