import type { LogAppend } from '@widget-service/shared/ports/event-log.ts';
import { anEventAppend } from './builders.ts';
import type { TestBackend } from './test-backend.ts';

export const looseAppends = (count: number): LogAppend[] => Array.from({ length: count }, () => anEventAppend());

/** The event log of a store that is opened later, with what its suites do again and again. */
export function driveEventLog(store: () => Pick<TestBackend, 'backend'>) {
  const log = () => store().backend.eventLog;
  const nextRun = async () => (await store().backend.runs.startRun()).run;
  return {
    log,
    nextRun,
    /** Under a new number, expecting nothing. */
    append: async (events: readonly LogAppend[]) => log().append(await nextRun(), null, events),
    extent: async () => {
      const inspected = await log().inspect(null);
      if (inspected === null) throw new Error('nothing was appended yet');
      return inspected.extent;
    },
  };
}
