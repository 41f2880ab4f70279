import { randomUUID } from 'node:crypto';
import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import type { LogAppend } from '@widget-service/shared/ports/event-log.ts';
import { anEventAppend } from './builders.ts';
import type { TestBackend } from './test-backend.ts';

/** Appends of events without a known widget. */
export const buildEventAppends = (count: number): LogAppend[] => Array.from({ length: count }, () => anEventAppend());

/** Shortcuts for the suites of the event log. `getBackend` is called at each use, because suites open it later. */
export function driveEventLog(getBackend: () => Pick<TestBackend, 'backend'>) {
  const log = () => getBackend().backend.eventLog;
  const nextRun = async () => (await getBackend().backend.runs.startRun()).run;
  return {
    log,
    nextRun,
    /** Appends as a new run, without an expected last position. */
    append: async (events: readonly LogAppend[]) => log().append(await nextRun(), null, events),
    extent: async () => {
      const inspected = await log().inspect(null);
      if (inspected === null) throw new Error('the log is empty: append an event first');
      return inspected.extent;
    },
  };
}

/** Opens a tail at the end of the log and reads once, so that it is certain to have missed nothing. */
export async function openTailAtEnd(log: Pick<ControlLog, 'openTail'>): Promise<ControlTail> {
  const tail = log.openTail();
  await tail.next();
  return tail;
}

/** Entries whose ids carry their number, in order. */
export function buildNumberedEntries(count: number): ControlEntry[] {
  const run = randomUUID();
  return Array.from({ length: count }, (_, n) => ({ kind: 'subscription', id: `${run} ${n}`, change: 'changed' }));
}
