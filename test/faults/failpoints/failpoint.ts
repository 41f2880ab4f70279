import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';

/** A place in a process's life, and what happens to the process there. */
export interface Failpoint {
  /** A method of a port, as `effects.apply`. */
  readonly call: string;
  /**
   * `before` the call, `after` its answer, or `during` it: the call has been made, whether the store has carried it out
   * is open, and the answer has not been seen.
   */
  readonly when: 'before' | 'during' | 'after';
  /** `kill`: the process ends as by kill -9. `freeze`: it stands still, all of it, until it is sent SIGCONT. */
  readonly act: 'kill' | 'freeze';
  /** At which call since it was armed, from 1; the first where it is not given. */
  readonly nth?: number;
}

/** The variable that names the file a failpoint is armed with. */
export const failpointFileVariable = 'FAILPOINT_FILE';
/** `true` gives a worker locks of a second or two, for tests in which many are lost. */
export const shortLocksVariable = 'FAILPOINT_SHORT_LOCKS';
/** The log line of a process that has come to its failpoint. */
export const reachedMessage = 'failpoint.reached';

export function nameOf({ call, when }: Failpoint): string {
  return `${when} ${call}`;
}

export interface ArmedFailpoint extends Failpoint {
  readonly id: string;
}

/**
 * Arms every process that watches `file`; the one that is first at the failpoint takes it, alone, and logs its id.
 */
export function arm(file: string, failpoint: Failpoint): ArmedFailpoint {
  const armed = { ...failpoint, id: randomUUID() };
  writeFileSync(`${file}.new`, JSON.stringify(armed));
  renameSync(`${file}.new`, file);
  return armed;
}

/** Tells at every call whether the armed failpoint has come. */
export function watchFailpoint(file: string): (call: string) => ArmedFailpoint | null {
  let armed = '';
  let calls = 0;
  return (call) => {
    const text = read(file);
    if (text === '') return null;
    if (text !== armed) [armed, calls] = [text, 0];
    const failpoint = JSON.parse(text) as ArmedFailpoint;
    if (failpoint.call !== call) return null;
    calls += 1;
    if (calls < (failpoint.nth ?? 1)) return null;
    return take(file) ? failpoint : null;
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Of several processes that come to it at once, one removes the file. */
function take(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false;
  }
}
