import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';

/** A place in the code of a process, and what happens to the process there. */
export interface Failpoint {
  /** A method of a port, such as `effects.apply`. */
  readonly call: string;
  /**
   * `before` the call, `after` its answer, or `during` it. During the call, the request has been sent. Whether the
   * store has executed it is uncertain, and the process has not read the answer.
   */
  readonly when: 'before' | 'during' | 'after';
  /**
   * `kill`: the process kills itself with SIGKILL. `freeze`: it stops itself with SIGSTOP, until it receives SIGCONT.
   */
  readonly act: 'kill' | 'freeze';
  /** The failpoint acts at this call since it was armed, counted from 1. Default: 1. */
  readonly nth?: number;
}

/** The main files, relative to the repository, that start a process with failpoints and with options of components. */
export const mainsWithFailpoints = {
  api: 'test/faults/failpoints/api-main.ts',
  worker: 'test/faults/failpoints/worker-main.ts',
} as const;
/** The variable that names the file through which tests arm failpoints. */
export const failpointFileVariable = 'FAILPOINT_FILE';
/** `true` gives a worker locks of 1.5 s, for tests in which many locks expire. */
export const shortLocksVariable = 'FAILPOINT_SHORT_LOCKS';
/** The log message of a process at its failpoint. */
export const reachedMessage = 'failpoint.reached';

export function formatFailpoint({ call, when }: Failpoint): string {
  return `${when} ${call}`;
}

export interface ArmedFailpoint extends Failpoint {
  readonly id: string;
}

/** Arms all processes that watch `file`. Only the first process at the failpoint acts, and it logs the id. */
export function armFailpoint(file: string, failpoint: Failpoint): ArmedFailpoint {
  const armed = { ...failpoint, id: randomUUID() };
  writeFileSync(`${file}.new`, JSON.stringify(armed));
  renameSync(`${file}.new`, file);
  return armed;
}

/**
 * Returns a function that each port call asks: it returns the failpoint if the process must act now, otherwise null.
 */
export function watchFailpoint(file: string): (call: string) => ArmedFailpoint | null {
  let armedText = '';
  let calls = 0;
  return (call) => {
    const text = readIfExists(file);
    if (text === '') return null;
    if (text !== armedText) [armedText, calls] = [text, 0];
    const failpoint = JSON.parse(text) as ArmedFailpoint;
    if (failpoint.call !== call) return null;
    calls += 1;
    if (calls < (failpoint.nth ?? 1)) return null;
    return disarm(file) ? failpoint : null;
  };
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Removes the file. Returns true in only one of several processes that call it at once. */
function disarm(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false;
  }
}
