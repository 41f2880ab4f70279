import type { ServiceProcess } from '../../drivers/cluster/service-process.ts';
import { isLong } from '../scale.ts';
import type { Failpoint } from './failpoint.ts';

/**
 * The port calls of one run, in order. Those after `recordPosition` are made when it has ended, for many runs together.
 */
const callsOfARun = [
  'effects.load',
  'ledger.register',
  'effects.apply',
  'eventLog.append',
  'runs.recordPosition',
  'ledger.markPublished',
  'outboxes.removePublished',
  'runs.startRun',
  'eventLog.expireMarks',
] as const;

/** The calls whose writes other runs and pods can read. So it matters if such a call took place without an answer. */
const visibleWrites: readonly string[] = [
  'effects.apply',
  'eventLog.append',
  'ledger.markPublished',
  'outboxes.removePublished',
];

/**
 * Returns every failpoint of a run. After a call is the same place as before the next one, so only the last call has an
 * `after`. The short form leaves out failpoints with the same stored state as another one.
 */
export function listRunFailpoints(act: Failpoint['act'], isLong: boolean): Failpoint[] {
  const before = callsOfARun.map((call) => ({ call, when: 'before', act }) as const);
  const callsDuring = callsOfARun.filter((call) => isLong || visibleWrites.includes(call));
  const during = callsDuring.map((call) => ({ call, when: 'during', act }) as const);
  return [...before, { call: 'eventLog.expireMarks', when: 'after', act }, ...during];
}

/** How long a worker is frozen in its run. The long form uses production's locks and freezes for longer than these. */
export const frozenMs = isLong ? 30_000 : 0;

/** Counts the runs of a worker that have ended, with any result: it logs one line for each. */
export function countEndedRuns({ lines }: ServiceProcess): number {
  return lines.filter(({ msg }) => msg?.startsWith('batch.') === true).length;
}
