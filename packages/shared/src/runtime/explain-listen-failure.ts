import { ExitError, exitCodes } from './exit-error.ts';

/** What the system says of an address that cannot be listened on, in words. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'needs rights that this process does not have',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not a name that can be resolved',
};

/** Where a process was to listen, and which settings say so. */
export interface Place {
  readonly settings: string;
  readonly host: string;
  readonly port: number;
}

/** An address that cannot be had as the operator must hear of it: by the settings that name it. Others as they are. */
export function explainListenFailure(error: unknown, { settings, host, port }: Place): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code];
  if (reason === undefined) return error;
  return new ExitError(exitCodes.configuration, `${settings}: ${host}:${port} ${reason}`, { cause: error });
}
