import { UnavailableError } from '../domain/errors.ts';

/** The exit codes of all processes of the service. 69 and 78 are EX_UNAVAILABLE and EX_CONFIG of BSD's sysexits. */
export const exitCodes = {
  /** The process drained, or the command succeeded. */
  ok: 0,
  unexpected: 1,
  /** A store did not answer in time: MongoDB at a start, or a store that a command needs. */
  storeUnreachable: 69,
  /** A setting is wrong, or the store or address that it names is unsuitable. */
  configuration: 78,
} as const;

/** `runProcess` exits with `exitCode`. The message says what the operator should do; the stack is not logged. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.exitCode = exitCode;
  }
}

/** Returns the code with which this error ends the process. */
export function toExitCode(error: unknown): number {
  if (error instanceof ExitError) return error.exitCode;
  return error instanceof UnavailableError ? exitCodes.storeUnreachable : exitCodes.unexpected;
}

/** Descriptions of the system's error codes for an address on which the process cannot listen. */
const reasonsByCode: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'needs a permission that this process does not have',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not a name that can be resolved',
  EAI_AGAIN: 'is a name that cannot be resolved now',
  EAFNOSUPPORT: 'is of an address family that this machine does not have',
  EINVAL: 'is not complete: a link-local address needs its interface, such as fe80::1%eth0',
};

/** An address on which a process listens. */
interface ListenAddress {
  /** The names of the settings that define the address. */
  readonly settings: string;
  readonly host: string;
  readonly port: number;
}

/** Returns an `ExitError` that names the settings if the system refuses the address, else the error itself. */
export function explainListenFailure(error: unknown, { settings, host, port }: ListenAddress): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const reason = reasonsByCode[code] ?? `cannot be used (${code})`;
  return new ExitError(
    exitCodes.configuration,
    `${settings}: ${host.includes(':') ? `[${host}]` : host}:${port} ${reason}; choose another address or port`,
    { cause: error },
  );
}
